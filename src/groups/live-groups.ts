import { checkEvent } from '../errors/check-event.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { Grouper } from '../operation/query.js';
import { countWhile } from '../store/chunks.js';
import { distinctKeyOf } from '../store/columns.js';
import type { LiveList, LiveListObserver } from '../store/live-list.js';
import { type QueryState, recordReader } from '../store/query-state.js';
import type { Snapshot } from '../store/snapshot.js';
import { EventEmitter } from '../util/event-emitter.js';
import { GroupNode, type GroupTree } from './group-node.js';
import type { Groups, GroupsChange, GroupsOptions } from './groups-config.js';
import { createLevels, groupKeyOf, type Level } from './levels.js';
import { type Partition, partition, partitionRuns } from './partition.js';
import { SummaryPlan } from './summary-plan.js';

/** The inner members of a view that its groups use. */
export interface GroupedView {
  readonly model: { readonly prototype: unknown };
  readonly definition: ModelDefinition;
  readonly query: QueryState;
  readonly liveList: LiveList<BaseModel>;
  getSnapshot(): Snapshot<BaseModel>;
  flush(): void;
}

/**
 * The groups of a view. They are built in one pass when they are first read. From then on, an edit, an addition or a removal costs one
 * binary search per level; the summaries of the groups of that record are computed again when they are next read.
 */
export class LiveGroups implements Groups<BaseModel, never>, LiveListObserver<BaseModel>, GroupTree {
  readonly plan: SummaryPlan;
  version = 0;
  private readonly root: GroupNode;
  private levels: readonly Level[] = [];
  private current = false;
  private arranged = false;
  /** Whether changes can be applied record by record. */
  private steady = false;
  /** Whether the next build must read the sorted list of the view, so that later changes can be applied record by record. */
  private follows = false;
  private readonly events: EventEmitter<{ change: GroupsChange<BaseModel, never> }> = new EventEmitter();
  /** The groups as they were after the last `change` event. */
  private told: ReadonlySet<GroupNode> = new Set();
  private toldVersion = 0;
  private changedGroups: Set<GroupNode> = new Set();
  private renewed = false;

  constructor(
    private readonly view: GroupedView,
    summaries: GroupsOptions['summaries'],
  ) {
    this.plan = new SummaryPlan(summaries, view.definition, this.reader());
    this.root = new GroupNode(this, undefined, '', -1, null, false);
  }

  get by(): readonly Grouper[] {
    return this.view.query.groupers;
  }

  get count(): number {
    return this.root.count;
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

  on(event: 'change', listener: (event: GroupsChange<BaseModel, never>) => void): () => void {
    checkEvent('groups', event, ['change'], listener);
    // Pending changes are delivered to the existing listeners first, so that the new one gets later changes only.
    this.view.flush();
    if (!this.events.has(event)) {
      // Builds the sorted list, because only its changes can be applied record by record.
      this.view.liveList.get();
      this.tell();
    }
    return this.events.on(event, listener);
  }

  // ── Called by the groups (GroupTree) ──

  refresh(): void {
    if (this.current) return;
    const { view, root } = this;
    const { groupers, sorters, remoteSort } = view.query;
    const before = this.levels.map(({ field }) => field);
    const seen = view.liveList.holdEdited ? (record: BaseModel) => view.liveList.withoutHeldEdits(record) : undefined;
    this.levels = createLevels(groupers, view.definition, this.reader(), seen);
    this.steady = !remoteSort && groupers.every(({ property }) => view.definition.field(property));
    const known = [root, ...root.inside()];
    const build = <R>(
      into: (root: GroupNode, parts: Partition) => R,
      chunks: Partition['chunks'],
      once: boolean,
    ): R => {
      known.forEach(forget);
      root.size = chunks.reduce((count, { length }) => count + length, 0);
      return into(root, {
        chunks,
        levels: this.levels,
        columns: this.plan.columns,
        make: (around, key) => this.reuse(around, key, before, once) ?? this.make(around, key),
      });
    };
    // Without sorters the records of a group are in source order, so the groups can be built without sorting the records.
    const sorted = this.follows || remoteSort || sorters.length > 0;
    const inAnyOrder = () => {
      const kept = view.liveList.filtered();
      const columns = view.liveList.columnsOf(kept);
      return build((...parts) => partition(...parts, columns), kept, false);
    };
    if (sorted || !inAnyOrder()) build(partitionRuns, view.liveList.get().freeze(), true);
    for (const group of known) group.former = undefined;
    this.current = this.renewed = true;
    this.arranged = false;
  }

  arrange(): void {
    this.refresh();
    if (this.arranged) return;
    this.arranged = true;
    this.root.first = 0;
    place(this.root);
  }

  snapshot(): Snapshot<BaseModel> {
    return this.view.getSnapshot();
  }

  keyAt(level: number, record: BaseModel): unknown {
    return groupKeyOf(this.levels[level] as Level, record);
  }

  // ── Called by the list of the view (LiveListObserver) ──

  locate(record: BaseModel): GroupNode | undefined {
    if (!this.current || !this.steady) return undefined;
    let group: GroupNode | undefined = this.root;
    for (const [at, level] of this.levels.entries()) group = group && this.childOf(group, at, level.read(record));
    return group;
  }

  left(where: unknown): void {
    if (!this.current) return;
    const innermost = where as GroupNode | undefined;
    if (!innermost || innermost.size === 0) return this.reset();
    for (let group: GroupNode | undefined = innermost; group; group = group.around) {
      group.size -= 1;
      if (group.size === 0) group.around?.children.splice(group.around.children.indexOf(group), 1);
      this.touch(group);
      if (group.size === 0) group.at = group.first = -1;
    }
    this.arranged = false;
  }

  entered(record: BaseModel): void {
    if (!this.current) return;
    if (!this.steady) return this.reset();
    let group = this.root;
    group.size += 1;
    this.touch(group);
    for (const [at, level] of this.levels.entries()) {
      const key = groupKeyOf(level, record);
      const index = this.placeOf(group, at, key);
      let child = group.children[index];
      if (!child || level.order(child.value, key) !== 0) {
        child = this.make(group, key);
        group.children.splice(index, 0, child);
      }
      group = child;
      group.size += 1;
      this.touch(group);
    }
    this.arranged = false;
  }

  changed(record: BaseModel, fields: readonly string[] | undefined): void {
    if (!this.current) return;
    if (!this.steady) return this.reset();
    const { fields: own } = this.plan;
    if (own && fields && !fields.some((name) => own.has(name))) return;
    for (let group = this.locate(record); group; group = group.around) this.touch(group);
  }

  reset(followable: boolean = false): void {
    this.follows = followable && (this.current || this.follows);
    this.current = false;
    this.version += 1;
  }

  deliver(): void {
    const { events, told, version } = this;
    if (version === this.toldVersion || !events.has('change')) return;
    const changedGroups = this.tell();
    const now = this.told;
    const added = [...now].filter((group) => !told.has(group));
    const removed = [...told].filter((group) => !now.has(group));
    const changed = [...changedGroups].filter((group) => now.has(group) && told.has(group));
    events.emit('change', { version, added, removed, changed } as unknown as GroupsChange<BaseModel, never>);
  }

  // ── Internal ──

  /** Sets the state that listeners know to the present groups; returns the groups that may have changed since the last call. */
  private tell(): ReadonlySet<GroupNode> {
    this.refresh();
    this.told = new Set(this.root.inside());
    this.toldVersion = this.version;
    const changedGroups = this.renewed ? this.told : this.changedGroups;
    this.changedGroups = new Set();
    this.renewed = false;
    return changedGroups;
  }

  private touch(group: GroupNode): void {
    group.touch();
    this.version += 1;
    if (this.events.has('change')) this.changedGroups.add(group);
  }

  private make(around: GroupNode, key: unknown): GroupNode {
    const at = around.level + 1;
    const { field, loose } = this.levels[at] as Level;
    return new GroupNode(this, around, field, at, key, loose);
  }

  /**
   * The former group with a key, if it was by the same field. With `once`, only for the first group with that key: runs may share a
   * key.
   */
  private reuse(around: GroupNode, key: unknown, before: readonly string[], once: boolean): GroupNode | undefined {
    const id = distinctKeyOf(key);
    const at = around.level + 1;
    const group = before[at] === this.levels[at]?.field ? around.former?.get(id) : undefined;
    if (!group) return undefined;
    if (once) around.former?.delete(id);
    group.value = key;
    return group;
  }

  private childOf(around: GroupNode, at: number, key: unknown): GroupNode | undefined {
    const order = this.levels[at]?.order;
    if (!order) return undefined;
    // Runs are not sorted by key, so a binary search would not find the group.
    if (!this.steady) return around.children.find((child) => order(child.value, key) === 0);
    const child = around.children[this.placeOf(around, at, key)];
    return child && order(child.value, key) === 0 ? child : undefined;
  }

  /** The index of the first group inside `around` whose key is not before `key`. */
  private placeOf({ children }: GroupNode, at: number, key: unknown): number {
    const { order } = this.levels[at] as Level;
    return countWhile(children.length, (i) => order((children[i] as GroupNode).value, key) < 0);
  }

  private reader(): ReturnType<typeof recordReader<BaseModel>> {
    const { definition, model } = this.view;
    return recordReader<BaseModel>(definition, model.prototype as object);
  }
}

/** Empties a group, and keeps the groups inside for reuse. */
function forget(group: GroupNode): void {
  group.former ??= new Map(group.children.map((child) => [distinctKeyOf(child.value), child]));
  group.clear();
}

/** Updates the positions of all groups inside a group. */
function place(around: GroupNode): void {
  let { first } = around;
  for (const [i, child] of around.children.entries()) {
    child.at = i;
    child.first = first;
    first += child.size;
    place(child);
  }
}
