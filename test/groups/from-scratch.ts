import { bigint, decimal, MemoryProxy, Model } from 'repose';
import type { Group, Groups } from 'repose/groups';
import { expect } from 'vitest';

export class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: 'string',
    team: { type: 'string', allowNull: true },
    hours: { type: 'number', allowNull: true },
    cost: decimal({ allowNull: true }),
    bytes: bigint({ allowNull: true }),
    due: { type: 'date', allowNull: true },
    double: {
      type: 'number',
      calculate: (task: { get(name: string): unknown }) => Number(task.get('hours')) * 2,
    },
  },
  proxy: { type: MemoryProxy },
}) {
  get initial(): string {
    return (this.title as string).slice(0, 1);
  }
}

export type Name = 'team' | 'hours' | 'cost' | 'bytes' | 'due' | 'double' | 'initial';

const ALL = ['count', 'sum', 'average', 'min', 'max'] as const;
export const summaries = {
  hours: ALL,
  cost: ALL,
  bytes: ALL,
  double: 'sum',
  due: ['min', 'max', 'count'],
  initial: 'max',
  titles: (records: readonly Task[]) => records.map(({ title }) => title).join(),
} as const;
type Kind = (typeof ALL)[number];

/** A group as plain data. */
export interface Plain {
  readonly key: unknown;
  readonly field: string;
  readonly level: number;
  readonly index: number;
  readonly start: number;
  readonly count: number;
  readonly ids: readonly unknown[];
  readonly summaries: unknown;
  readonly groups: readonly Plain[];
}

/** The rank of a value in the order of a field, computed by the test itself. */
function rank(value: unknown): bigint | number | string | null {
  if (value === undefined || value === null || Number.isNaN(value)) return null;
  if (value instanceof Date) return value.getTime();
  return typeof value === 'string' && /^-?\d+([.]\d+)?$/.test(value) ? cents(value) : (value as number);
}

/** A decimal with up to four digits after the point, as a whole number. */
function cents(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(4, '0'));
}

function decimalText(units: bigint, digits: number): string {
  const text = String(units < 0n ? -units : units).padStart(5, '0');
  const fraction = text.slice(-4).slice(0, digits);
  return `${units < 0n ? '-' : ''}${text.slice(0, -4)}${digits ? `.${fraction}` : ''}`;
}

export function before(a: unknown, b: unknown): number {
  const [x, y] = [rank(a), rank(b)];
  if (x === null || y === null) return Number(x !== null) - Number(y !== null);
  return x < y ? -1 : x > y ? 1 : 0;
}

function summary(name: string, kind: Kind, records: readonly Task[]): unknown {
  const values = records.map((task) => task[name as Name] as unknown).filter((value) => rank(value) !== null);
  const sorted = values.map((value, i) => ({ value, i })).sort((a, b) => before(a.value, b.value) || a.i - b.i);
  if (kind === 'count') return values.length;
  if (kind === 'min') return sorted[0]?.value ?? null;
  if (kind === 'max') return sorted.find(({ value }) => before(value, sorted.at(-1)?.value) === 0)?.value ?? null;
  if (name === 'bytes') {
    const sum = (values as bigint[]).reduce((all, each) => all + each, 0n);
    return kind === 'sum' ? sum : values.length ? Number(sum) / values.length : null;
  }
  if (name === 'cost') {
    const units = (values as string[]).reduce((all, each) => all + cents(each), 0n);
    const digits = Math.max(0, ...(values as string[]).map((each) => (each.split('.')[1] ?? '').length));
    const sum = decimalText(units, digits);
    return kind === 'sum' ? sum : values.length ? Number(sum) / values.length : null;
  }
  const sum = (values as number[]).reduce((all, each) => all + each, 0);
  return kind === 'sum' ? sum : values.length ? sum / values.length : null;
}

function summariesOf(records: readonly Task[]): unknown {
  return Object.fromEntries(
    Object.entries(summaries).map(([name, kinds]) => [
      name,
      typeof kinds === 'function'
        ? kinds(records)
        : typeof kinds === 'string'
          ? summary(name, kinds, records)
          : Object.fromEntries(kinds.map((kind) => [kind, summary(name, kind, records)])),
    ]),
  );
}

/** Splits sorted records into runs of equal keys, level by level. */
function runs(records: readonly Task[], by: readonly string[], level = 0, from = 0): Plain[] {
  const [field, ...inner] = by;
  if (field === undefined) return [];
  const found: Task[][] = [];
  for (const task of records) {
    const last = found.at(-1)?.[0];
    if (last && before(last[field as Name], task[field as Name]) === 0) found.at(-1)?.push(task);
    else found.push([task]);
  }
  let start = from;
  return found.map((tasks, index) => {
    const value = tasks[0]?.[field as Name] as unknown;
    const group = {
      ...{ key: rank(value) === null ? null : value, field, level, index, start, count: tasks.length },
      ids: tasks.map(({ id }) => id),
      summaries: summariesOf(tasks),
      groups: runs(tasks, inner, level + 1, start),
    };
    start += tasks.length;
    return group;
  });
}

/** The groups that records in their order should form. */
export function fromScratch(records: readonly Task[], by: readonly string[]): object {
  return { count: records.length, summaries: summariesOf(records), groups: runs(records, by) };
}

export function plain(group: Group<Task, object>): Plain {
  const { key, field, level, index, start, count } = group;
  expect(group.groups.every(({ parent }) => parent === group)).toBe(true);
  return {
    ...{ key, field, level, index, start, count },
    ids: group.records.map(({ id }) => id),
    summaries: group.summaries,
    groups: group.groups.map(plain),
  };
}

/** The groups that a view shows now. */
export function now({ count, summaries: all, groups }: Groups<Task>): object {
  return { count, summaries: all, groups: groups.map(plain) };
}
