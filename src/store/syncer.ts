import type { AnyDataError } from '../errors/is-data-error.js';
import type { BaseModel } from '../model/base-model.js';
import { writeBulk } from '../model/bulk.js';
import { inner } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import { eraseRecord, saveRecord } from '../model/write.js';
import type { Action } from '../operation/actions.js';
import { Batch, type Outcome, runParallel } from '../operation/batch.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { SyncOptions } from './store-config.js';

type Write = Exclude<Action, 'read'>;
/** What is to be written. */
export type Pending<M> = Readonly<Record<Write, readonly M[]>>;

/** Writes what is pending: actions in the proxy's order, so many records at a time, an outcome for each. */
export async function syncPending<M extends BaseModel>(
  pending: Pending<M>,
  proxy: DataProxy,
  { concurrency, ...options }: SyncOptions & { concurrency: number },
  ended: (outcome: Outcome<M>, operation: Operation | undefined) => void,
): Promise<Batch<M>> {
  const outcomes: Outcome<M>[] = [];
  for (const action of proxy.batchOrder.split(',').map((each) => each.trim()) as Write[]) {
    const records = pending[action] ?? [];
    const ends = new Map<M, Outcome<M>>();
    const end = (record: M, error: AnyDataError | undefined, operation: Operation | undefined) => {
      const outcome: Outcome<M> = { action, record, ...(error && { error }) };
      ends.set(record, outcome);
      ended(outcome, operation);
    };
    const many = proxy.batchActions ? records.filter((record) => fitsBulk(record, action)) : [];
    const bulk = new Set(many.length > 1 ? many : []);
    const jobs = records
      .filter((record) => !bulk.has(record))
      .map((record) => () => writeOne(action, record, proxy, options, end));
    await Promise.all([
      bulk.size > 0 && writeBulk({ action, records: [...bulk], proxy, options, ended: end }),
      runParallel(jobs, concurrency),
    ]);
    for (const record of records) outcomes.push(ends.get(record) as Outcome<M>);
  }
  return new Batch(outcomes);
}

/** Whether a record can go with others: nothing of it is under way, and it needs one request only. */
function fitsBulk(record: BaseModel, action: Write): boolean {
  const core = inner(record)[CORE];
  return !core || !(core.busy || (core.partial && action === 'update') || (core.phantom && action === 'destroy'));
}

async function writeOne<M extends BaseModel>(
  action: Write,
  record: M,
  proxy: DataProxy,
  options: SyncOptions,
  end: (record: M, error: AnyDataError | undefined, operation: Operation | undefined) => void,
): Promise<void> {
  let operation: Operation | undefined;
  const use = (given: Operation) => (operation = given);
  try {
    await (action === 'destroy' ? eraseRecord : saveRecord)(inner(record), () => proxy, options as never, use);
    end(record, undefined, operation);
  } catch (error) {
    end(record, error as AnyDataError, operation);
  }
}
