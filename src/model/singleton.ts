import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { coreOf, type InnerRecord } from './record.js';

/** Whether the address of a proxy is that of one record, which has no id. */
export function isSingleton(proxy: DataProxy): boolean {
  return Boolean((proxy as { singleton?: boolean }).singleton);
}

/** Keeps the `pathParams` with which a record was read or created: for a record without an id, only they give its address. */
export function keepPathParams(record: InnerRecord, { pathParams, singleton }: Operation): void {
  if (!pathParams || !singleton) return;
  const core = coreOf(record);
  core.pathParams = { ...core.pathParams, ...pathParams };
}
