import type { Action } from '../operation/actions.js';
import { Operation } from '../operation/operation.js';
import type { OperationRecord } from '../operation/operation-record.js';
import type { DataProxy } from './data-proxy.js';
import { ProxyRequest } from './proxy-request.js';

/** Whether an extension has added a header to a request. `header` is in lower case. */
export function carries({ headers = {} }: ProxyRequest, header: string): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === header);
}

/** Whether a request has `If-Match`: the server then refuses it if the row has changed since it was read. */
export function isConditional(request: ProxyRequest): boolean {
  return carries(request, 'if-match');
}

/** Whether the request for a record would have `If-Match`. */
export function willBeConditional(record: OperationRecord, action: Action, proxy: DataProxy): boolean {
  if (!proxy.prepares) return false;
  const request = new ProxyRequest({ operation: new Operation({ action, records: [record] }) });
  try {
    proxy.prepareRequest(request);
    return isConditional(request);
  } catch {
    // The request of the record itself will report the error.
    return true;
  }
}
