import type { Model } from '../model/model.js';
import { chunkOf, countOf, joinChunks, startsOf } from '../store/chunks.js';
import { ColumnCache } from '../store/column-cache.js';
import { type Column, readColumn } from '../store/columns.js';
import type { GroupNode } from './group-node.js';
import { groupKeyOf, type Level } from './levels.js';
import { numbersOf } from './numbers.js';
import type { Property } from './property.js';
import { Tally, type TallyColumn } from './tally.js';

type Chunks = readonly (readonly Model[])[];

/** The records to group, and how to group them. */
export interface Partition {
  readonly chunks: Chunks;
  readonly levels: readonly Level[];
  readonly columns: readonly TallyColumn[];
  /** Returns the former group with a key, or a new one. */
  groupFor(container: GroupNode, key: unknown): GroupNode;
}

/**
 * Groups records that are in any order, and sorts the groups by key; `cache` has the columns of the records. Returns false if two
 * different keys compare as equal: then the groups must be built from sorted records, by `partitionRuns`.
 *
 * For speed, the loops see only numbers: groups are represented by their number, records by their index.
 */
export function partition(
  root: GroupNode,
  { chunks, levels, columns, groupFor }: Partition,
  cache: ColumnCache<Model>,
): boolean {
  const count = countOf(chunks);
  const starts = startsOf(chunks);
  const recordAt = (index: number) => {
    const chunk = chunkOf(starts, index);
    return chunks[chunk]?.[index - (starts[chunk] as number)] as Model;
  };
  // Computed values change with other fields, so columns of them must not stay in the shared cache.
  const localCache = new ColumnCache(() => chunks);
  const cacheOf = ({ stored }: Property) => (stored ? cache : localCache);
  const all = [root];
  let groups = [root];
  /** For each record, the number of its group at the level reached so far. */
  let groupNumbers: Uint32Array = new Uint32Array(count);
  for (const level of levels) {
    const { field, read } = level;
    const column = cacheOf(level).get(field, read, true) ?? (readColumn(chunks, count, read) as Column);
    const sizes = groups.map(({ size }) => size);
    const inside = divide(groupNumbers, sizes, column);
    groups = partsOf(inside).map(({ first, size }) => {
      const container = groups[groupNumbers[first] as number] as GroupNode;
      const group = groupFor(container, groupKeyOf(level, recordAt(first)));
      group.size = size;
      container.children.push(group);
      return group;
    });
    groupNumbers = inside;
    all.push(...groups);
  }
  const tallies = columns.map((column) => {
    const { exact, extremes } = column;
    const numbers = exact || extremes ? undefined : numbersOf(column, cacheOf(column), chunks, count);
    const created = groups.map(() => new Tally(column));
    if (numbers) addNumbers(numbers, groupNumbers, created);
    else addValues(chunks, groupNumbers, created, column);
    return created;
  });
  for (const [i, group] of groups.entries()) group.tallies = tallies.map((created) => created[i] as Tally);
  return all.every((group) => sortChildren(group, levels[group.level + 1]));
}

/**
 * Divides groups by the values of a column. Takes the group number of each record, and returns the numbers of the groups inside.
 */
function divide(groupNumbers: Uint32Array, sizes: readonly number[], { codes, values }: Column): Uint32Array {
  if (sizes.length === 1) return codes;
  const inside = new Uint32Array(groupNumbers.length);
  let count = 0;
  /** By code: the number of the last group that was made for it. */
  const lastGroupOf = new Uint32Array(values.length);
  /** By code: the number of the container of that group; at first a number that no group has. */
  const lastContainerOf = new Uint32Array(values.length).fill(sizes.length);
  for (const index of indicesByGroup(groupNumbers, sizes)) {
    const outer = groupNumbers[index] as number;
    const code = codes[index] as number;
    if (lastContainerOf[code] !== outer) {
      lastContainerOf[code] = outer;
      lastGroupOf[code] = count;
      count += 1;
    }
    inside[index] = lastGroupOf[code] as number;
  }
  return inside;
}

/** A group to be made: the index of its first record, and its number of records. */
interface Part {
  readonly first: number;
  size: number;
}

/** The part of each group number. */
function partsOf(groupNumbers: Uint32Array): Part[] {
  const parts: Part[] = [];
  for (let i = 0; i < groupNumbers.length; i += 1) {
    const groupNumber = groupNumbers[i] as number;
    const part = parts[groupNumber];
    if (part) part.size += 1;
    else parts[groupNumber] = { first: i, size: 1 };
  }
  return parts;
}

/** The indices of all records, ordered by group number (a counting sort). */
function indicesByGroup(groupNumbers: Uint32Array, sizes: readonly number[]): Uint32Array {
  const indices = new Uint32Array(groupNumbers.length);
  const positions = new Uint32Array(sizes.length);
  for (let i = 1; i < sizes.length; i += 1) positions[i] = (positions[i - 1] as number) + (sizes[i - 1] as number);
  for (let i = 0; i < groupNumbers.length; i += 1) {
    const groupNumber = groupNumbers[i] as number;
    indices[positions[groupNumber] as number] = i;
    (positions[groupNumber] as number) += 1;
  }
  return indices;
}

/** Adds numbers to the tallies of their groups. */
function addNumbers(numbers: Float64Array, groupNumbers: Uint32Array, tallies: readonly Tally[]): void {
  const sums = new Float64Array(tallies.length).fill(-0);
  const counts = new Uint32Array(tallies.length);
  for (let i = 0; i < numbers.length; i += 1) {
    const value = numbers[i] as number;
    if (Number.isNaN(value)) continue;
    const groupNumber = groupNumbers[i] as number;
    (sums[groupNumber] as number) += value;
    (counts[groupNumber] as number) += 1;
  }
  for (const [i, tally] of tallies.entries()) tally.addSum(sums[i] as number, counts[i] as number);
}

function addValues(chunks: Chunks, groupNumbers: Uint32Array, tallies: readonly Tally[], { read }: TallyColumn): void {
  let i = 0;
  for (const chunk of chunks) {
    for (const record of chunk) {
      (tallies[groupNumbers[i] as number] as Tally).add(read(record));
      i += 1;
    }
  }
}

/** Sorts the groups inside a group by key. Returns false if two of their keys compare as equal. */
function sortChildren({ children }: GroupNode, level: Level | undefined): boolean {
  if (!level) return true;
  const { order } = level;
  children.sort((a, b) => order(a.value, b.value));
  return children.every((group, i) => i === 0 || order(children[i - 1]?.value, group.value) !== 0);
}

/** Builds groups from sorted records: each group is a run of consecutive records with equal keys. */
export function partitionRuns(root: GroupNode, { chunks, levels, columns, groupFor }: Partition): void {
  for (const record of joinChunks(chunks)) {
    let group = root;
    for (const level of levels) {
      const key = groupKeyOf(level, record);
      let child = group.children.at(-1);
      if (!child || level.order(child.value, key) !== 0) {
        child = groupFor(group, key);
        group.children.push(child);
      }
      child.size += 1;
      group = child;
    }
    addRecord(group, record, columns);
  }
}

function addRecord(group: GroupNode, record: Model, columns: readonly TallyColumn[]): void {
  const tallies = (group.tallies ??= columns.map((column) => new Tally(column)));
  for (let i = 0; i < columns.length; i += 1) (tallies[i] as Tally).add((columns[i] as TallyColumn).read(record));
}
