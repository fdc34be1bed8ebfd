import type { BaseModel } from '../model/base-model.js';
import { joinChunks } from '../store/chunks.js';
import { distinct } from '../store/columns.js';
import type { GroupNode } from './group-node.js';
import { keyOf, type Level } from './levels.js';
import { valueAt } from './property.js';
import { Tally, type TallyColumn } from './tally.js';

/** What groups are made by. */
export interface Partition {
  readonly chunks: readonly (readonly BaseModel[])[];
  readonly levels: readonly Level[];
  readonly columns: readonly TallyColumn[];
  /** Makes a group, or takes the one that there was. */
  make(around: GroupNode, key: unknown): GroupNode;
}

/**
 * Puts records in any order into groups, and these in the order of their keys. False where keys are equal that are not one and
 * the same: then it takes records in order.
 *
 * While it goes groups are numbers: loops over nothing but numbers and maps stay compiled, whatever groups come and go.
 */
export function partition(root: GroupNode, { chunks, levels, columns, make }: Partition): boolean {
  const groups = [root];
  const sizes = [0];
  /** Of each group those inside, by what makes keys one. */
  const inside = [new Map<unknown, number>()];
  const sums = columns.map((column) => ({ column, total: [-0], counts: [0], tallies: [new Tally(column)] }));
  const begin = (around: number, value: unknown) => {
    const id = distinct(value);
    const number = groups.push(make(groups[around] as GroupNode, id === null ? null : value)) - 1;
    sizes.push(0);
    inside[around]?.set(id, number);
    if ((groups[number] as GroupNode).level + 1 < levels.length) inside[number] = new Map();
    for (const { column, total, counts, tallies } of sums) {
      total.push(-0);
      counts.push(0);
      tallies.push(new Tally(column));
    }
  };
  const places = new Uint32Array(chunks.reduce((most, { length }) => Math.max(most, length), 0));
  // One property after the other is read of the records of a chunk, while these are still at hand.
  for (const chunk of chunks) {
    places.fill(0);
    for (const level of levels) {
      let at = 0;
      while ((at = descend(chunk, at, level, places, inside, sizes)) < chunk.length)
        begin(places[at] as number, valueAt(level, chunk[at] as BaseModel));
    }
    for (const { column, total, counts, tallies } of sums) {
      if (column.exact || column.extremes) tallyUp(chunk, column, places, tallies);
      else sumUp(chunk, column, places, total, counts, tallies);
    }
  }
  for (const [i, group] of groups.entries()) {
    if (i > 0) {
      group.size = sizes[i] as number;
      group.around?.children.push(group);
    }
    if (group.level === levels.length - 1)
      group.tallies = sums.map(({ total, counts, tallies }) =>
        (tallies[i] as Tally).addSum(total[i] as number, counts[i] as number),
      );
  }
  return groups.every((group) => arrange(group, levels[group.level + 1]));
}

/**
 * Goes on from the groups of some records to those inside that they belong to. Returns the place of the first record whose group
 * is yet to begin.
 */
function descend(
  records: readonly BaseModel[],
  start: number,
  level: Level,
  places: Uint32Array,
  inside: readonly Map<unknown, number>[],
  sizes: number[],
): number {
  for (let i = start; i < records.length; i += 1) {
    const value = valueAt(level, records[i] as BaseModel);
    const id = typeof value === 'string' ? value : distinct(value);
    const group = (inside[places[i] as number] as Map<unknown, number>).get(id);
    if (group === undefined) return i;
    (sizes[group] as number) += 1;
    places[i] = group;
  }
  return records.length;
}

/** Adds up values of which most are numbers. */
function sumUp(
  records: readonly BaseModel[],
  column: TallyColumn,
  places: Uint32Array,
  total: number[],
  counts: number[],
  tallies: readonly Tally[],
): void {
  for (let i = 0; i < records.length; i += 1) {
    const group = places[i] as number;
    const value = valueAt(column, records[i] as BaseModel);
    if (typeof value === 'number' && !Number.isNaN(value)) {
      (total[group] as number) += value;
      (counts[group] as number) += 1;
    } else (tallies[group] as Tally).add(value);
  }
}

function tallyUp(
  records: readonly BaseModel[],
  column: TallyColumn,
  places: Uint32Array,
  tallies: readonly Tally[],
): void {
  for (let i = 0; i < records.length; i += 1)
    (tallies[places[i] as number] as Tally).add(valueAt(column, records[i] as BaseModel));
}

/** Puts the groups inside another in their order. */
function arrange({ children }: GroupNode, level: Level | undefined): boolean {
  if (!level) return true;
  const { order } = level;
  children.sort((a, b) => order(a.value, b.value));
  return children.every((group, i) => i === 0 || order(children[i - 1]?.value, group.value) !== 0);
}

/** Makes groups of records as they follow each other: each is a run with one key. */
export function partitionRuns(root: GroupNode, { chunks, levels, columns, make }: Partition): void {
  for (const record of joinChunks(chunks)) {
    let group = root;
    for (const level of levels) {
      const key = keyOf(level, record);
      let child = group.children.at(-1);
      if (!child || level.order(child.value, key) !== 0) {
        child = make(group, key);
        group.children.push(child);
      }
      child.size += 1;
      group = child;
    }
    add(group, record, columns);
  }
}

function add(group: GroupNode, record: BaseModel, columns: readonly TallyColumn[]): void {
  const tallies = (group.tallies ??= columns.map((column) => new Tally(column)));
  for (let i = 0; i < columns.length; i += 1) (tallies[i] as Tally).add((columns[i] as TallyColumn).read(record));
}
