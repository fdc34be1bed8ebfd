import { type DataError, isGone } from '../errors/data-error.js';
import { isOrdinaryRequest } from '../model/call.js';
import type { Model } from '../model/model.js';
import { coreOf, inner } from '../model/record.js';
import { tellOwners } from '../model/record-owner.js';
import { settleErased } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import type { DataProxy } from '../proxy/data-proxy.js';

/** Whether a record has changes that are not saved, or a write that has not ended. */
export function hasPending(record: Model): boolean {
  const { saving, keeper } = coreOf(inner(record));
  return record.dirty || saving || keeper?.queuedWrite(record) !== undefined;
}

/**
 * Called when a load or write of a record has failed. If the server does not have the record any more, it leaves its lists; one with changes
 * that are not saved stays, and its lists are stale.
 */
export function requestFailed(record: Model, error: DataError): void {
  const { [CORE]: core, [ROW]: before } = inner(record);
  if (core?.erased || core?.phantom || !saysGone(error, record)) return;
  const written = { before, after: undefined };
  if (hasPending(record)) tellOwners(inner(record), 'rowWritten', written);
  else settleErased(inner(record), written);
}

/**
 * Whether the error of a request says that the server does not have its record any more. A call with its own address or parameters may have
 * asked for something else, and a success that has changed no row does not say whether there is one.
 */
export function saysGone(error: DataError, record: Model): boolean {
  const { operation } = error;
  const { action, records, response, headers = {} } = operation ?? {};
  // A condition, which extensions add, asks for the same record.
  const asksForOther = Object.keys(headers).some((name) => name !== 'If-Match');
  const isOrdinary = isOrdinaryRequest({ ...operation, headers: asksForOther ? headers : undefined });
  if (!isGone(error) || !isOrdinary || records?.length !== 1) return false;
  if ((response?.status ?? 404) < 400) return false;
  const { api } = (record.constructor as typeof Model).proxy as DataProxy & { api?: { readonly read?: unknown } };
  return action !== 'read' || !api?.read;
}
