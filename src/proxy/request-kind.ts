import { MODEL } from '../operation/operation-record.js';
import { carries } from './condition.js';
import type { ProxyRequest } from './proxy-request.js';

/** Whether an extension made the read of a single record conditional. */
export function isAskedForChange(request: ProxyRequest): boolean {
  return request.action === 'read' && request.operation.records.length === 1 && carries(request, 'if-none-match');
}

/** Whether a request is idempotent without a key: reads are, and writes that set a record's final values; creates are not. */
export function isRepeatable({ method, action, named }: ProxyRequest): boolean {
  if (action === 'read') return true;
  // The PATCH of an update carries edited values and is idempotent; a PATCH sent with `send()` may not be.
  return (
    action !== 'create' && (/^(HEAD|OPTIONS|PUT|DELETE)$/.test(method) || (method === 'PATCH' && named === undefined))
  );
}

/** Whether an update changes the id of its record. */
export function isRenamed({ action, bulk, operation: { records } }: ProxyRequest): boolean | undefined {
  const record = action === 'update' && !bulk ? records[0] : undefined;
  return record?.[MODEL].edits(record).has(record[MODEL].idField);
}
