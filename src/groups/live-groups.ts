import { checkEvent } from '../dev/checks.js';
import { inWords } from '../errors/error-context.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { Grouper } from '../operation/query-parts.js';
import { countWhile } from '../store/chunks.js';
import { distinctKeyOf } from '../store/columns.js';
import { recordReader } from '../store/compile-query.js';
import type { Groups, GroupsChange, GroupsOptions } from '../store/groups-config.js';
import type { InnerStore } from '../store/inner-store.js';
import type { LiveList, LiveListObserver } from '../store/live-list.js';
import type { Query } from '../store/query.js';
import type { QueryRules } from '../store/query-rules.js';
import type { ListSnapshot } from '../store/snapshot.js';
import { Notifier } from '../util/notifier.js';
import type { Source } from '../util/value-source.js';
import { GroupNode, type GroupTree } from './group-node.js';
import { createLevels, groupKeyOf, type Level } from './levels.js';
import { type Partition, partition, partitionRuns } from './partition.js';
import { SummaryPlan } from './summary-plan.js';

/** The inner members of a view that its groups use. */
export interface GroupedView {
  readonly model: { readonly prototype: unknown };
  readonly definition: ModelDefinition;
  readonly query: Query<Model>;
  readonly rules: QueryRules<Model>;
  readonly liveList: LiveList<Model>;
  readonly list: Source<ListSnapshot<Model>>;
  readonly recordSet: { readonly store: object; watched(isWatched: boolean): void };
  isSorted(): boolean;
  flush(): void;
}

/**
 * The groups of a view. They are built in one pass when they are first read. From then on, an edit, an addition or a removal costs one
 * binary search per level; the summaries of the groups of that record are computed again when they are next read.
 */
export class LiveGroups implements Groups<Model, never>, LiveListObserver<Model>, GroupTree {
  readonly plan: SummaryPlan;
  version = 0;
  private readonly root: GroupNode;
  private levels: readonly Level[] = [];
  private isBuilt = false;
  private hasPositions = false;
  /** Whether changes can be applied record by record. */
  private canFollow = false;
  /** Whether the next build must read the sorted list of the view, so that later changes can be applied record by record. */
  private needsSortedList = false;
  private readonly events: Notifier<{ change(event: GroupsChange<Model, never>): void }>;
  /** The groups as they were after the last `change` event. */
  private deliveredGroups: ReadonlySet<GroupNode> = new Set();
  private deliveredVersion = 0;
  private changedGroups: Set<GroupNode> = new Set();
  private wasRebuilt = false;

  constructor(
    private readonly view: GroupedView,
    summaries: GroupsOptions['summaries'],
  ) {
    this.events = new Notifier(view.recordSet.watched);
    this.plan = new SummaryPlan(summaries, view.definition, this.reader());
    this.root = new GroupNode(this, undefined, '', -1, null, false);
  }

  get by(): readonly Grouper[] {
    return this.view.query.groupers;
  }

  get count(): number {
    return this.root.count;
  }

  get partial(): boolean {
    const { paging } = this.view.recordSet.store as Partial<InnerStore<Model>>;
    return paging?.complete === false;
  }

  get groups(): readonly never[] {
    return this.root.groups as readonly never[];
  }

  get summaries(): never {
    return this.root.summaries;
  }

  [Symbol.iterator](): Iterator<never> {
    return this.groups[Symbol.iterator]();
  }

  get(...keys: readonly unknown[]): undefined {
    this.refresh();
    let group: GroupNode | undefined = this.root;
    for (const [at, key] of keys.entries()) group = group && this.childOf(group, at, key);
    return (keys.length > 0 ? group : undefined) as undefined;
  }

  on(event: 'change', listener: (event: GroupsChange<Model, never>) => void): () => void {
    inWords(this.view.definition.messages, () => {
      checkEvent('groups', event, ['change'], listener);
    });
    // Pending changes are delivered to the existing listeners first, so that the new one gets later changes only.
    this.view.flush();
    if (!this.events.has(event)) {
      // Builds the sorted list, because only its changes can be applied record by record.
      this.view.liveList.get();
      this.markDelivered();
    }
    return this.events.on(event, listener);
  }

  // ── Called by the groups (GroupTree) ──

  refresh(): void {
    if (this.isBuilt) return;
    const { view, root } = this;
    const { groupers } = view.query;
    const { remoteSort } = view.rules.options;
    const formerFields = this.levels.map(({ field }) => field);
    const prepare = view.liveList.holdEdited ? (record: Model) => view.liveList.withoutHeldEdits(record) : undefined;
    this.levels = createLevels(groupers, view.definition, this.reader(), prepare);
    this.canFollow = !remoteSort && groupers.every(({ property }) => view.definition.field(property));
    const formerGroups = [root, ...root.descendants()];
    const build = <R>(
      into: (root: GroupNode, parts: Partition) => R,
      chunks: Partition['chunks'],
      once: boolean,
    ): R => {
      formerGroups.forEach(emptyForReuse);
      root.size = chunks.reduce((count, { length }) => count + length, 0);
      return into(root, {
        chunks,
        levels: this.levels,
        columns: this.plan.columns,
        groupFor: (container, key) =>
          this.reuse(container, key, formerFields, once) ?? this.createGroup(container, key),
      });
    };
    // Groups whose records are in source order can be built without sorting the records.
    const needsOrder = this.needsSortedList || remoteSort || view.isSorted();
    const buildInAnyOrder = () => {
      const chunks = view.liveList.filtered();
      const columns = view.liveList.columnsOf(chunks);
      return build((...parts) => partition(...parts, columns), chunks, false);
    };
    if (needsOrder || !buildInAnyOrder()) build(partitionRuns, view.liveList.get().freeze(), true);
    for (const group of formerGroups) group.formerChildren = undefined;
    this.isBuilt = this.wasRebuilt = true;
    this.hasPositions = false;
  }

  arrange(): void {
    this.refresh();
    if (this.hasPositions) return;
    this.hasPositions = true;
    this.root.firstRecord = 0;
    updatePositions(this.root);
  }

  snapshot(): ListSnapshot<Model> {
    return this.view.list.get();
  }

  keyAt(level: number, record: Model): unknown {
    return groupKeyOf(this.levels[level] as Level, record);
  }

  // ── Called by the list of the view (LiveListObserver) ──

  locate(record: Model): GroupNode | undefined {
    if (!this.isBuilt || !this.canFollow) return undefined;
    let group: GroupNode | undefined = this.root;
    for (const [at, level] of this.levels.entries()) group = group && this.childOf(group, at, level.read(record));
    return group;
  }

  left(location: unknown): void {
    if (!this.isBuilt) return;
    const innermost = location as GroupNode | undefined;
    if (!innermost || innermost.size === 0) return this.reset();
    for (let group: GroupNode | undefined = innermost; group; group = group.container) {
      group.size -= 1;
      if (group.size === 0) group.container?.children.splice(group.container.children.indexOf(group), 1);
      this.invalidate(group);
      if (group.size === 0) group.position = group.firstRecord = -1;
    }
    this.hasPositions = false;
  }

  entered(record: Model): void {
    if (!this.isBuilt) return;
    if (!this.canFollow) return this.reset();
    let group = this.root;
    group.size += 1;
    this.invalidate(group);
    for (const [at, level] of this.levels.entries()) {
      const key = groupKeyOf(level, record);
      const index = this.placeOf(group, at, key);
      let child = group.children[index];
      if (!child || level.order(child.value, key) !== 0) {
        child = this.createGroup(group, key);
        group.children.splice(index, 0, child);
      }
      group = child;
      group.size += 1;
      this.invalidate(group);
    }
    this.hasPositions = false;
  }

  changed(record: Model, fields: readonly string[] | undefined): void {
    if (!this.isBuilt) return;
    if (!this.canFollow) return this.reset();
    const { fields: usedFields } = this.plan;
    if (usedFields && fields && !fields.some((name) => usedFields.has(name))) return;
    for (let group = this.locate(record); group; group = group.container) this.invalidate(group);
  }

  reset(followable: boolean = false): void {
    this.needsSortedList = followable && (this.isBuilt || this.needsSortedList);
    this.isBuilt = false;
    this.version += 1;
  }

  end(): void {
    this.events.clear();
  }

  deliver(): void {
    const { events, deliveredGroups, version } = this;
    if (version === this.deliveredVersion || !events.has('change')) return;
    const changedGroups = this.markDelivered();
    const now = this.deliveredGroups;
    const added = [...now].filter((group) => !deliveredGroups.has(group));
    const removed = [...deliveredGroups].filter((group) => !now.has(group));
    const changed = [...changedGroups].filter((group) => now.has(group) && deliveredGroups.has(group));
    events.emit('change', { version, added, removed, changed } as GroupsChange<Model, never>);
  }

  // ── Internal ──

  /** Sets the state that listeners know to the present groups; returns the groups that may have changed since the last call. */
  private markDelivered(): ReadonlySet<GroupNode> {
    this.refresh();
    this.deliveredGroups = new Set(this.root.descendants());
    this.deliveredVersion = this.version;
    const changedGroups = this.wasRebuilt ? this.deliveredGroups : this.changedGroups;
    this.changedGroups = new Set();
    this.wasRebuilt = false;
    return changedGroups;
  }

  private invalidate(group: GroupNode): void {
    group.invalidate();
    this.version += 1;
    if (this.events.has('change')) this.changedGroups.add(group);
  }

  private createGroup(container: GroupNode, key: unknown): GroupNode {
    const at = container.level + 1;
    const { field, hasLooseKeys } = this.levels[at] as Level;
    return new GroupNode(this, container, field, at, key, hasLooseKeys);
  }

  /**
   * The former group with a key, if it was by the same field. With `once`, only for the first group with that key: runs may share a
   * key.
   */
  private reuse(
    container: GroupNode,
    key: unknown,
    formerFields: readonly string[],
    once: boolean,
  ): GroupNode | undefined {
    const id = distinctKeyOf(key);
    const at = container.level + 1;
    const group = formerFields[at] === this.levels[at]?.field ? container.formerChildren?.get(id) : undefined;
    if (!group) return undefined;
    if (once) container.formerChildren?.delete(id);
    group.value = key;
    return group;
  }

  private childOf(container: GroupNode, at: number, key: unknown): GroupNode | undefined {
    const order = this.levels[at]?.order;
    if (!order) return undefined;
    // Runs are not sorted by key, so a binary search would not find the group.
    if (!this.canFollow) return container.children.find((child) => order(child.value, key) === 0);
    const child = container.children[this.placeOf(container, at, key)];
    return child && order(child.value, key) === 0 ? child : undefined;
  }

  /** The index of the first group inside a container whose key is not before `key`. */
  private placeOf({ children }: GroupNode, at: number, key: unknown): number {
    const { order } = this.levels[at] as Level;
    return countWhile(children.length, (i) => order((children[i] as GroupNode).value, key) < 0);
  }

  private reader(): ReturnType<typeof recordReader<Model>> {
    const { definition, model } = this.view;
    return recordReader<Model>(definition, model.prototype as object);
  }
}

/** Empties a group, and keeps the groups inside for reuse. */
function emptyForReuse(group: GroupNode): void {
  group.formerChildren ??= new Map(group.children.map((child) => [distinctKeyOf(child.value), child]));
  group.clear();
}

/** Updates the positions of all groups inside a group. */
function updatePositions(container: GroupNode): void {
  let { firstRecord } = container;
  for (const [i, child] of container.children.entries()) {
    child.position = i;
    child.firstRecord = firstRecord;
    firstRecord += child.size;
    updatePositions(child);
  }
}
