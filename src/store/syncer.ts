import type { AnyDataError } from '../errors/is-data-error.js';
import type { BaseModel } from '../model/base-model.js';
import { type BulkWrite, writeBulk } from '../model/bulk.js';
import { inner } from '../model/record.js';
import { eraseRecord, saveRecord } from '../model/write.js';
import type { Action } from '../operation/actions.js';
import { Batch, type Outcome, runParallel } from '../operation/batch.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { SyncOptions } from './store-config.js';

/** What is to be written. */
export type Pending<M> = Readonly<Record<Exclude<Action, 'read'>, readonly M[]>>;

/** Writes what is pending: actions in the proxy's order, so many records at a time, an outcome for each. */
export async function syncPending<M extends BaseModel>(
  pending: Pending<M>,
  proxy: DataProxy,
  options: SyncOptions & { concurrency: number },
  ended: (outcome: Outcome<M>, operation: Operation | undefined) => void,
): Promise<Batch<M>> {
  const outcomes: Outcome<M>[] = [];
  const { concurrency, ...request } = options;
  for (const action of proxy.batchOrder.split(',').map((each) => each.trim()) as Exclude<Action, 'read'>[]) {
    const records = pending[action] ?? [];
    if (proxy.batchActions && records.length > 1) {
      const told: BulkWrite<M> = {
        action,
        records,
        proxy,
        options: request,
        ended: (record, error, operation) => ended(outcomeOf(action, record, error), operation),
      };
      const errors = await writeBulk(told);
      outcomes.push(...records.map((record) => outcomeOf(action, record, errors.get(record))));
    } else {
      const jobs = records.map((record) => () => writeOne(action, record, proxy, request, ended));
      outcomes.push(...(await runParallel(jobs, concurrency)));
    }
  }
  return new Batch(outcomes);
}

async function writeOne<M extends BaseModel>(
  action: Action,
  record: M,
  proxy: DataProxy,
  options: SyncOptions,
  ended: (outcome: Outcome<M>, operation: Operation | undefined) => void,
): Promise<Outcome<M>> {
  let operation: Operation | undefined;
  const use = (given: Operation) => (operation = given);
  let error: AnyDataError | undefined;
  try {
    if (action === 'destroy') await eraseRecord(inner(record), () => proxy, options as never, use);
    else await saveRecord(inner(record), proxy, options as never, use);
  } catch (thrown) {
    error = thrown as AnyDataError;
  }
  const outcome = outcomeOf(action, record, error);
  ended(outcome, operation);
  return outcome;
}

function outcomeOf<M>(action: Action, record: M, error: AnyDataError | undefined): Outcome<M> {
  return { action, record, ...(error && { error }) };
}
