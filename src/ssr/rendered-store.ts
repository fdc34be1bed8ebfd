import type { BaseModel } from '../model/base-model.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { paramsOf } from '../proxy/params-config.js';
import type { PageReader } from '../store/page-reader.js';
import type { Paging } from '../store/paging.js';
import { isLocal, type QueryState } from '../store/query-state.js';
import type { ServerFilter } from '../store/server-filter.js';
import type { SharingStore } from '../store/sharing.js';
import type { LoadOptions, StoreConfig } from '../store/store-config.js';

/** The members of a store that rendering on a server reads and writes. */
export interface RenderedStore extends SharingStore {
  readonly loaded: boolean;
  readonly count: number;
  readonly query: QueryState;
  readonly config: Pick<StoreConfig<BaseModel>, 'allowPartial'>;
  readonly firstOptions: LoadOptions<BaseModel> | undefined;
  readonly lastLoad: Operation | undefined;
  readonly paging: Paging<BaseModel>;
  readonly pages: PageReader<BaseModel>;
  readonly loader: { cancelSchedule(): void };
  readonly statusFeed: { hold<T>(change: () => T): T };
  createOperation(options: LoadOptions<BaseModel>, signal: AbortSignal): Operation;
  finishLoad(paging: Paging<BaseModel>, filter: ServerFilter, startedAt: number, operation: Operation): void;
}

/** Identifies what a load asks for, whichever page; undefined: loads with functions cannot be compared. */
export function keyOf(operation: Operation, proxy: DataProxy): string | undefined {
  const { id, url, params, pathParams, sorters, filters, grouper, search, limit } = operation;
  const { extraParams, pathParams: common } = proxy as { extraParams?: never; pathParams?: never };
  try {
    const all = [paramsOf(extraParams, 'extraParams'), paramsOf(common, 'pathParams')];
    const request = { id, url, params, pathParams, sorters, filters, grouper, search, limit };
    // Hashed, because the parameters of a server may hold a secret, which must not get into the page.
    return hashOf(
      JSON.stringify([request, all], (name, value) => {
        if (typeof value === 'function') throw new TypeError(name);
        return value;
      }),
    );
  } catch {
    return undefined;
  }
}

/** Whether a store can show a list: its local sorters and filters need all rows of the collection. */
export function canShow({ query, config }: RenderedStore, isComplete: boolean): boolean {
  return isComplete || config.allowPartial === true || !isLocal(query);
}

/** A hash of 53 bits (cyrb53, public domain). */
function hashOf(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
