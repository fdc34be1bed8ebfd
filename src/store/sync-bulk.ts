import { type BulkWrite, fitsBulk, splitByAddress, writeBulk } from '../model/bulk.js';
import type { Model } from '../model/model.js';
import type { InnerRecord } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import { isStillWanted, openJob, type SyncJob, type SyncWriter } from './sync-job.js';

/**
 * Groups the jobs that may go in one request: with `batchActions`, jobs of one proxy, model and action. Other jobs become groups of
 * one.
 */
export function groupWrites<M extends Model>(
  jobs: readonly SyncJob<M>[],
  batchSize: number = Number.POSITIVE_INFINITY,
): SyncJob<M>[][] {
  const groups: SyncJob<M>[][] = [];
  const open = new Map<string, SyncJob<M>[]>();
  const numbers = new Map<unknown, number>();
  const numberOf = (part: unknown) => {
    const number = numbers.get(part) ?? numbers.size;
    numbers.set(part, number);
    return number;
  };
  for (const job of jobs) {
    const { proxy, record, action, phase, level } = job;
    const key = proxy.batches(action) && [numberOf(proxy), numberOf(record.constructor), action, phase, level].join();
    let group = key ? open.get(key) : undefined;
    if (!group || group.length >= batchSize) {
      group = [];
      groups.push(group);
      if (key) open.set(key, group);
    }
    group.push(job);
  }
  return groups;
}

/** Writes the jobs of one group: records that can share a request go in one, the others one by one. */
export async function writeTogether<M extends Model>(jobs: readonly SyncJob<M>[], sync: SyncWriter<M>): Promise<void> {
  const [{ action, proxy, calledParameters }] = jobs as [SyncJob<M>];
  const jobOf = new Map<InnerRecord, SyncJob<M>>(jobs.map((job) => [job.record, job]));
  const entryOf: BulkWrite['entryOf'] = (record) => jobOf.get(record)?.entry;
  const splitFitting = (records: Iterable<InnerRecord>) =>
    splitByAddress(
      [...records].filter((record) => {
        // A rollback writes the old row back, so it needs the whole row. An incomplete record goes alone, because then its row is
        // read first.
        const needsWholeRow = sync.undoes && action === 'update' && record[CORE]?.incomplete;
        const job = jobOf.get(record) as SyncJob<M>;
        const isReady = !job.uncaptured && !(sync.undoes && openJob(job.behind));
        return !needsWholeRow && isReady && isStillWanted(job) && fitsBulk(record, action, proxy, job.entry);
      }),
      action,
      proxy,
      entryOf,
      calledParameters,
    );
  const ended: BulkWrite['ended'] = (record, error, operation) =>
    sync.finish({ job: jobOf.get(record) as SyncJob<M>, error, operation, attempted: true });
  for (const part of splitFitting(jobOf.keys())) {
    if (sync.hasStopped) break;
    // Checked again, because other calls may have written or changed some records while the requests before were in flight.
    const [records = []] = splitFitting(part);
    if (records.length === 1) await sync.write(jobOf.get(records[0] as InnerRecord) as SyncJob<M>);
    else if (records.length > 1) {
      const options = sync.optionsOf(records.map((record) => jobOf.get(record) as SyncJob<M>));
      await writeBulk({ action, proxy, records, entryOf, options, ended });
    }
  }
  for (const job of jobs) if (!job.outcome) await sync.write(job);
}
