import { onDemand } from '../errors/on-demand.js';
import { referencesOf } from './references.js';
import type { WriteJob } from './write-job.js';

/** Puts writes in order by what records refer to; undefined where no model refers to another. */
export function orderByReferences(jobs: readonly WriteJob[]): Promise<void> | undefined {
  const models = new Map(jobs.map(({ record }) => [record.constructor, record]));
  if (![...models.values()].some((record) => referencesOf(record).length > 0)) return undefined;
  return onDemand(import('./write-order.js')).then(({ orderWrites }) => orderWrites(jobs));
}
