import type { Action } from '../operation/actions.js';
import { Operation } from '../operation/operation.js';
import type { OperationRecord } from '../operation/operation-record.js';
import type { DataProxy } from './data-proxy.js';
import { ProxyRequest } from './proxy-request.js';

/** Whether an extension has added a header, which is named in lower case, to a request. */
export function carries({ headers = {} }: ProxyRequest, header: string): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === header);
}

/** Whether a request is conditional on the row that is known. */
export function isConditional(request: ProxyRequest): boolean {
  return carries(request, 'if-match');
}

/** Whether the request for a record would be conditional on its row. */
export function willBeConditional(record: OperationRecord, action: Action, proxy: DataProxy): boolean {
  if (!proxy.prepares) return false;
  const request = new ProxyRequest({ operation: new Operation({ action, records: [record] }) });
  try {
    proxy.prepareRequest(request);
    return isConditional(request);
  } catch {
    // The record's own request will fail, and tell why.
    return true;
  }
}
