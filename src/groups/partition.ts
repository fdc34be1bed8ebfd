import type { BaseModel } from '../model/base-model.js';
import { distinct } from '../store/columns.js';
import type { GroupNode } from './group-node.js';
import { keyOf, type Level } from './levels.js';
import { Tally, type TallyColumn } from './tally.js';

/** What groups are made by. */
export interface Partition {
  readonly records: readonly BaseModel[];
  readonly levels: readonly Level[];
  readonly columns: readonly TallyColumn[];
  /** Makes a group, or takes the one that there was. */
  make(around: GroupNode, key: unknown): GroupNode;
}

/**
 * Puts records in any order into groups, and these in the order of their keys, in one look at each record. False where keys are
 * equal that are not one and the same: then it takes records in order.
 */
export function partition(root: GroupNode, { records, levels, columns, make }: Partition): boolean {
  const all = [root];
  root.found = new Map();
  for (const record of records) {
    let group = root;
    for (const { read } of levels) {
      const value = read(record);
      const id = distinct(value);
      const found = group.found as Map<unknown, GroupNode>;
      let child = found.get(id);
      if (child === undefined) {
        child = make(group, id === null ? null : value);
        child.found = new Map();
        found.set(id, child);
        all.push(child);
      }
      child.size += 1;
      group = child;
    }
    add(group, record, columns);
  }
  return all.every((group) => arrange(group, levels[group.level + 1]));
}

/** Puts the groups that were found inside another in their order. */
function arrange(around: GroupNode, level: Level | undefined): boolean {
  const children = [...(around.found?.values() ?? [])];
  around.found = undefined;
  if (!level) return true;
  const { order } = level;
  around.children = children.sort((a, b) => order(a.value, b.value));
  return children.every((group, i) => i === 0 || order(children[i - 1]?.value, group.value) !== 0);
}

/** Makes groups of records as they follow each other: each is a run with one key. */
export function partitionRuns(root: GroupNode, { records, levels, columns, make }: Partition): void {
  for (const record of records) {
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
