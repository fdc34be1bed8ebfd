import type { BaseModel } from '../model/base-model.js';
import { type BulkWrite, fitsBulk, splitByAddress, writeBulk } from '../model/bulk.js';
import type { InnerRecord } from '../model/record.js';
import { isWanted, type SyncJob, type SyncUnit, type SyncWriter } from './sync-job.js';

/** What goes together: one by one but where `batchActions` allows for more. */
export function toUnits<M extends BaseModel>(jobs: readonly SyncJob<M>[], batchSize: number): SyncUnit<M>[] {
  const units: SyncUnit<M>[] = [];
  const open = new Map<string, SyncUnit<M>>();
  const numbers = new Map<unknown, number>();
  const numberOf = (part: unknown) => {
    const number = numbers.get(part) ?? numbers.size;
    numbers.set(part, number);
    return number;
  };
  for (const job of jobs) {
    const { proxy, record, action, phase, level } = job;
    const key = proxy.batchActions && [numberOf(proxy), numberOf(record.constructor), action, phase, level].join();
    let unit = key ? open.get(key) : undefined;
    if (!unit || unit.jobs.length >= batchSize) {
      unit = { jobs: [], phase, waits: 0 };
      units.push(unit);
      if (key) open.set(key, unit);
    }
    unit.jobs.push(job);
  }
  return units;
}

/** Writes several records in one request, as far as they fit together; the others one by one. */
export async function writeTogether<M extends BaseModel>(
  jobs: readonly SyncJob<M>[],
  sync: SyncWriter<M>,
): Promise<void> {
  const [{ action, proxy }] = jobs as [SyncJob<M>];
  const jobOf = new Map(jobs.map((job) => [job.record, job]));
  const partsOf = (records: Iterable<InnerRecord>) =>
    splitByAddress(
      [...records].filter((each) => isWanted(jobOf.get(each) as SyncJob<M>) && fitsBulk(each, action, proxy)),
      action,
      proxy,
    );
  const ended: BulkWrite['ended'] = (record, error, operation) =>
    sync.end({ job: jobOf.get(record) as SyncJob<M>, error, operation, attempted: true });
  for (const part of partsOf(jobOf.keys())) {
    if (sync.isHalted) break;
    // Others may have written or changed some of them while those before were on their way.
    const [records = []] = partsOf(part);
    if (records.length === 1) await sync.write(jobOf.get(records[0] as InnerRecord) as SyncJob<M>);
    else if (records.length > 1) {
      for (const record of records) sync.sending(jobOf.get(record) as SyncJob<M>);
      await writeBulk({ action, proxy, records, options: sync.callOptions, ended });
    }
  }
  for (const job of jobs) if (!job.outcome) await sync.write(job);
}
