import type { BaseModel } from '../model/base-model.js';
import { distinct } from '../store/columns.js';
import type { GroupNode } from './group-node.js';
import type { Level } from './levels.js';

/** Makes a group, or takes the one that there was. */
type Make = (around: GroupNode, at: number, key: unknown) => GroupNode;

/** Puts records into groups, level by level; returns the innermost group of each. Groups are in the order of their keys. */
export function partition(
  root: GroupNode,
  records: readonly BaseModel[],
  levels: readonly Level[],
  make: Make,
): GroupNode[] {
  const places = new Array<GroupNode>(records.length).fill(root);
  let groups = [root];
  for (const [at, { read, order }] of levels.entries()) {
    for (const group of groups) group.found = new Map();
    for (let i = 0; i < places.length; i += 1) {
      const around = places[i] as GroupNode;
      const found = around.found as Map<unknown, GroupNode>;
      const value = read(records[i] as BaseModel);
      const id = distinct(value);
      let group = found.get(id);
      if (!group) found.set(id, (group = make(around, at, id === null ? null : value)));
      group.size += 1;
      places[i] = group;
    }
    let merged = false;
    for (const group of groups) merged = arrange(group, order) || merged;
    if (merged) for (const [i, group] of places.entries()) places[i] = group.same ?? group;
    groups = groups.flatMap((group) => group.children);
  }
  return places;
}

/** Puts the groups that were found in their order; returns whether some of them turned out to be one. */
function arrange(around: GroupNode, order: Level['order']): boolean {
  const found = [...(around.found?.values() ?? [])].sort((a, b) => order(a.value, b.value));
  const { children } = around;
  around.found = undefined;
  for (const group of found) {
    const last = children.at(-1);
    if (!last || order(last.value, group.value) !== 0) {
      children.push(group);
      continue;
    }
    group.same = last;
    last.size += group.size;
    group.size = 0;
  }
  return children.length < found.length;
}

/** The same where records keep an order that is not that of the keys: groups are runs of records with one key. */
export function partitionRuns(
  root: GroupNode,
  records: readonly BaseModel[],
  levels: readonly Level[],
  make: Make,
): GroupNode[] {
  return records.map((record) => {
    let around = root;
    for (const [at, { read, order }] of levels.entries()) {
      const value = read(record);
      let group = around.children.at(-1);
      if (!group || order(group.value, value) !== 0) {
        group = make(around, at, distinct(value) === null ? null : value);
        around.children.push(group);
      }
      group.size += 1;
      around = group;
    }
    return around;
  });
}
