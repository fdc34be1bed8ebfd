import type { DataError } from '../../errors/data-error.js';
import { isValidId } from '../../http/url.js';
import { MODEL } from '../../operation/operation-record.js';
import type { FieldDefinition } from '../field-definition.js';
import type { InnerRecord } from '../record.js';
import { settleRefused } from '../settle.js';
import { ROW } from '../symbols.js';
import type { Dependency, PlanMaker, WriteJob } from '../write-job.js';
import { dependencyError } from './dependency.js';
import {
  type Reference,
  referencesOf,
  refersTo,
  setReferenceId,
  type Target,
  unsentValue,
} from './reference-fields.js';
import { OrderedWrites } from './write-plan.js';

type Edges = Map<WriteJob, WriteJob[]>;
interface Edge extends Dependency {
  readonly field: FieldDefinition;
}

/**
 * Orders writes by the references of their records: a new record is created before the records that refer to it, and a record that
 * refers to another one is destroyed before that one. New records that refer to each other in a circle are refused. Returns what makes the
 * plan of this order; undefined, and does nothing, where no model refers to another.
 */
export function orderWrites(jobs: readonly WriteJob[]): PlanMaker | undefined {
  const oneOfEach = new Map(jobs.map(({ record }) => [record.constructor, record]));
  const references = new Map([...oneOfEach].map(([model, record]) => [model, referencesOf(record)]));
  if ([...references.values()].every((each) => each.length === 0)) return undefined;
  const created = jobIndex(jobs.filter(({ action }) => action === 'create'));
  const destroyed = jobIndex(jobs.filter(({ action }) => action === 'destroy'));
  const edges: Edges = new Map();
  const connect = (before: WriteJob, job: WriteJob) => {
    const followers = edges.get(before);
    if (followers) followers.push(job);
    else edges.set(before, [job]);
    job.waits += 1;
  };
  for (const job of jobs) {
    const { record, action } = job;
    const parents: Dependency[] = [];
    for (const [field, target] of references.get(record.constructor) as Reference[]) {
      const id = action === 'destroy' ? field.raw(record[ROW]) : unsentValue(record, field);
      if (!isValidId(id)) continue;
      const other = (action === 'destroy' ? destroyed : created)(target, id);
      if (!other) continue;
      if (action !== 'destroy') {
        parents.push(dependencyOn(other, record, field, id));
        connect(other, job);
      } else if (other !== job) connect(job, other);
    }
    job.parents = parents;
  }
  for (const [child, parent] of childrenBeforeErases(jobs))
    if (!edges.get(child)?.includes(parent)) connect(child, parent);
  rankJobs(jobs, edges);
  return (owner, groups, ready) => new OrderedWrites(owner, groups, ready);
}

/** The writes of children before the erase of their parent. A child that was moved below it and not saved refers to it in no row of the server. */
function childrenBeforeErases(jobs: readonly WriteJob[]): (readonly [child: WriteJob, parent: WriteJob])[] {
  const jobOf = new Map<unknown, WriteJob>(jobs.map((job) => [job.record, job]));
  return jobs.flatMap((parent) =>
    [...(parent.erasePlan?.children ?? [])].flatMap((each) => {
      const child = jobOf.get(each);
      return child ? [[child, parent] as const] : [];
    }),
  );
}

/** Makes a function that finds the job of a record by its model and id. */
function jobIndex(jobs: readonly WriteJob[]): (target: Target, id: unknown) => WriteJob | undefined {
  const byTarget = new Map<Target, Map<string, WriteJob>>();
  return (target, id) => {
    let index = byTarget.get(target);
    if (!index) {
      const jobsOfTarget = jobs.filter(({ record }) => record instanceof target);
      index = new Map(jobsOfTarget.map((job) => [String(job.record[MODEL].serverId(job.record)), job]));
      byTarget.set(target, index);
    }
    return index.get(String(id));
  };
}

function dependencyOn(job: WriteJob, record: InnerRecord, field: FieldDefinition, id: unknown): Edge {
  const parent = job.record;
  return {
    job,
    field,
    saved() {
      const newId = parent[MODEL].serverId(parent);
      // The record has the id already, unless the application has given the new record an id.
      if (refersTo(record, field, id) && String(newId) !== String(id)) setReferenceId(record, field, id, newId);
    },
    failed(cause) {
      return refersTo(record, field, id)
        ? refuse(record, dependencyError('parent-failed', record, field, parent, cause))
        : undefined;
    },
  };
}

/** Sets the error of a record that is not sent. */
function refuse<E extends DataError>(record: InnerRecord, error: E): E {
  settleRefused(record, error);
  return error;
}

/** Sets the phase and level of each job. Jobs that remain without a rank are part of a circle, or wait for one. */
function rankJobs(jobs: readonly WriteJob[], edges: Edges): void {
  const waits = new Map(jobs.map((job) => [job, job.waits]));
  const free = jobs.filter((job) => job.waits === 0);
  for (const job of free) {
    job.next = edges.get(job) ?? [];
    for (const next of job.next) {
      if (job.phase > next.phase) next.level = 0;
      if (job.phase >= next.phase) {
        next.phase = job.phase;
        next.level = Math.max(next.level, job.level + 1);
      }
      const left = (waits.get(next) as number) - 1;
      waits.set(next, left);
      if (left === 0) free.push(next);
    }
  }
  const remaining = new Set(jobs.filter((job) => waits.get(job) !== 0));
  for (const job of remaining) breakCircle(job, remaining, edges);
  refuseCircles(remaining);
}

/** Removes the order between the destroys of a circle, so that these can run. Creates keep waiting for each other. */
function breakCircle(job: WriteJob, remaining: ReadonlySet<WriteJob>, edges: Edges): void {
  const behind = edges.get(job) ?? [];
  job.next = job.action === 'destroy' ? behind.filter((each) => !remaining.has(each)) : behind;
  if (job.action === 'destroy') for (const each of behind) if (remaining.has(each)) each.waits -= 1;
}

/** Refuses new records that refer to each other in a circle. */
function refuseCircles(remaining: Set<WriteJob>): void {
  for (const job of remaining) if (job.action === 'destroy') remaining.delete(job);
  // A record to which no other remaining record refers is not part of the circle, but only waits for it.
  let size: number;
  do {
    size = remaining.size;
    const referred = new Set([...remaining].flatMap(({ parents }) => parents.map(({ job }) => job)));
    for (const job of remaining) if (!referred.has(job)) remaining.delete(job);
  } while (remaining.size < size);
  for (const job of remaining) {
    const { job: parent, field } = job.parents.find((each) => remaining.has(each.job)) as Edge;
    job.refusal = refuse(job.record, dependencyError('parent-circle', job.record, field, parent.record, undefined));
  }
}
