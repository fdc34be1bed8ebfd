import { wrongValue } from '../errors/option-rules.js';
import type { Group, Groups, Summaries } from '../store/groups-config.js';
import type { Listed } from '../store/shown.js';
import type { ListSnapshot } from '../store/snapshot.js';
import { isObject } from '../util/data-path.js';
import { type Source, ValueSource } from '../util/value-source.js';
import { isSame } from '../util/values.js';
import { isSameList } from './owned.js';

/** A group at one moment. Frozen; the same object until something in it changes. */
export interface GroupSnapshot<M, O = unknown> extends Omit<GroupsSnapshot<M, O>, 'partial'> {
  /** The value that the records share; null if they have none. */
  readonly key: Group<M, O>['key'];
  /** The name of the property. */
  readonly field: string;
  /** The level of the group; 0 for the outermost. */
  readonly level: number;
  /** Index of its first record in the view. */
  readonly start: number;
  /** The records of the group, in the order of the view. */
  readonly records: readonly M[];
}

/** The groups of a store or view at one moment. Frozen. */
export interface GroupsSnapshot<M, O = unknown> {
  /** Number of records. */
  readonly count: number;
  /** The groups directly inside, in their order; empty for an innermost group. */
  readonly groups: readonly GroupSnapshot<M, O>[];
  /** The summaries of the records inside. */
  readonly summaries: Summaries<M, O>;
  /** Whether the records are a part of what the server has, such as one page: counts and summaries are then those of this part. */
  readonly partial: boolean;
}

/** A store or view with the option `groups`. */
export interface Grouped<M, O> extends Listed<ListSnapshot<M>> {
  readonly groups: Groups<M, O>;
}

type AnyGroup = Group<unknown>;
type AnySnapshot = GroupSnapshot<unknown>;

/** Makes the source of the groups of a store or view. Throws `DefinitionError` for anything else, and for a store without groups. */
export function groupsSource<M, O>(view: Grouped<M, O>): Source<GroupsSnapshot<M, O>> {
  const groups = isObject(view) ? (view.groups as Groups<unknown> | undefined) : undefined;
  if (!groups) throw wrongValue('What shows groups', 'a store or a view with the option `groups`', view);
  let known: { readonly list: unknown; readonly version: number } | undefined;
  /** The snapshots of the groups, to be reused for those that have not changed. */
  let made = new Map<AnyGroup, AnySnapshot>();
  const source = new ValueSource<GroupsSnapshot<unknown>>(
    (previous) => {
      const list = view.list.get();
      // The groups are read first: reading them brings them up to date, which raises the version.
      const { count, summaries, groups: inside, partial } = groups;
      const isCurrent = known?.list === list && known.version === groups.version;
      if (previous?.partial === partial && isCurrent) return previous;
      const next = new Map<AnyGroup, AnySnapshot>();
      const shown = inside.map((group) => snapshotOf(group, list, made, next));
      made = next;
      known = { list, version: groups.version };
      return Object.freeze({ count, summaries, partial, groups: Object.freeze(shown) });
    },
    (isWatched) => {
      for (const stop of stops.splice(0)) stop();
      if (!isWatched) return;
      const update = () => source.update();
      stops.push(groups.on('change', update), view.list.subscribe(update));
    },
    // The groups follow an edit at once, and their event comes later.
    'never',
  );
  const stops: (() => void)[] = [];
  return source as Source<unknown> as Source<GroupsSnapshot<M, O>>;
}

function snapshotOf(
  group: AnyGroup,
  list: ListSnapshot<unknown>,
  made: ReadonlyMap<AnyGroup, AnySnapshot>,
  next: Map<AnyGroup, AnySnapshot>,
): AnySnapshot {
  const { key, field, level, start, count, summaries } = group;
  const groups = group.groups.map((inside) => snapshotOf(inside, list, made, next));
  const before = made.get(group);
  const records = list.slice(start, start + count);
  const isUnchanged =
    before !== undefined &&
    before.start === start &&
    isSame(before.key, key) &&
    isSame(before.summaries, summaries) &&
    isSameList(before.records, records) &&
    isSameList(before.groups, groups);
  const now = isUnchanged
    ? before
    : Object.freeze({
        ...{ key, field, level, start, count, summaries },
        groups: Object.freeze(groups),
        records: Object.freeze(records),
      });
  next.set(group, now);
  return now;
}
