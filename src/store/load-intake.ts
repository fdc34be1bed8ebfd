import type { BaseModel } from '../model/base-model.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { PageReader } from './page-reader.js';
import type { RecordSet } from './record-set.js';
import type { RowsIntake } from './store-observer.js';
import { storePartMissing } from './store-parts.js';

/** The intake that puts the rows of a load in place while they arrive; undefined if they can only be shown together. */
export function openIntake<M extends BaseModel>(
  recordSet: RecordSet<M>,
  pages: PageReader<M>,
): RowsIntake<M> | undefined {
  return recordSet.observers.having('openIntake').at(-1)?.openIntake(recordSet, pages);
}

/** Throws `DefinitionError` if the reader streams, and no part puts streamed rows in place. */
export function checkStream<M extends BaseModel>(proxy: DataProxy, recordSet: RecordSet<M>): void {
  const { stream } = proxy.reader as { readonly stream?: boolean };
  if (stream && recordSet.observers.having('openIntake').length === 0)
    throw storePartMissing('streamIntake', '`reader: { stream: true }`');
}
