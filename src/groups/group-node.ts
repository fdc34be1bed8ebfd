import type { Model } from '../model/model.js';
import type { Group } from '../store/groups-config.js';
import type { ListSnapshot } from '../store/snapshot.js';
import { sealed } from '../util/values.js';
import type { SummaryPlan } from './summary-plan.js';
import { Tally } from './tally.js';

/** The members of the groups of a view that each group uses. */
export interface GroupTree {
  readonly plan: SummaryPlan;
  /** Builds the groups again if they are outdated. Each getter of a group calls it first. */
  refresh(): void;
  /** Updates the positions of all groups. */
  arrange(): void;
  snapshot(): ListSnapshot<Model>;
  /** The key of a record at a level. */
  keyAt(level: number, record: Model): unknown;
}

/** The records of a group, and what they were read from. */
interface CachedRecords {
  readonly snapshot: ListSnapshot<Model>;
  readonly firstRecord: number;
  readonly size: number;
  readonly records: readonly Model[];
}

/** A group of records; or the root, which contains all groups. */
export class GroupNode implements Group<Model, never> {
  /** The groups directly inside, in their order. */
  children: GroupNode[] = [];
  size = 0;
  /** Index among the groups of its container. */
  position = -1;
  /** Index of its first record in the view. */
  firstRecord = -1;
  /** The groups that were inside before, by key: while the groups are being built again, which reuses them. */
  formerChildren: Map<unknown, GroupNode> | undefined = undefined;
  tallies: Tally[] | undefined = undefined;
  /** Whether the first record may write an equal key in another way: `1.0` instead of `1.00`. */
  private keyMayDiffer = false;
  private cachedSummaries: Readonly<Record<string, unknown>> | undefined = undefined;
  private cachedRecords: CachedRecords | undefined = undefined;

  constructor(
    private readonly tree: GroupTree,
    readonly container: GroupNode | undefined,
    readonly field: string,
    readonly level: number,
    /** The key, as the records hold it. */
    public value: unknown,
    /** Whether equal keys may be written in different ways, as decimals are. */
    private readonly hasLooseKeys: boolean,
  ) {}

  get key(): never {
    this.tree.refresh();
    if (this.keyMayDiffer) this.value = this.tree.keyAt(this.level, this.tree.snapshot().at(this.start) as Model);
    this.keyMayDiffer = false;
    return sealed(this.value) as never;
  }

  get count(): number {
    this.tree.refresh();
    return this.size;
  }

  get index(): number {
    this.tree.arrange();
    return this.position;
  }

  get start(): number {
    this.tree.arrange();
    return this.firstRecord;
  }

  get parent(): GroupNode | undefined {
    return this.level > 0 ? this.container : undefined;
  }

  get groups(): readonly GroupNode[] {
    this.tree.refresh();
    return [...this.children];
  }

  get records(): readonly Model[] {
    this.tree.arrange();
    const snapshot = this.tree.snapshot();
    const { firstRecord, size, cachedRecords: cached } = this;
    // A group may begin or end elsewhere in the same list, when the value of a record at its edge changes.
    if (cached?.snapshot === snapshot && cached.firstRecord === firstRecord && cached.size === size)
      return cached.records;
    const records = size > 0 ? snapshot.slice(firstRecord, firstRecord + size) : [];
    this.cachedRecords = { snapshot, firstRecord, size, records };
    return records;
  }

  get summaries(): never {
    this.tree.refresh();
    this.cachedSummaries ??= this.tree.plan.compute(() => this.records, this.computeTallies());
    return this.cachedSummaries as never;
  }

  /** Drops the cached summaries, because records of the group came, went or changed. */
  invalidate(): void {
    this.cachedSummaries = this.tallies = undefined;
    this.keyMayDiffer = this.hasLooseKeys && this.size > 0;
  }

  /** Removes all records and groups. */
  clear(): void {
    this.children = [];
    this.size = 0;
    this.position = this.firstRecord = -1;
    this.invalidate();
  }

  /** All groups inside, of all levels. */
  descendants(found: GroupNode[] = []): GroupNode[] {
    for (const child of this.children) {
      found.push(child);
      child.descendants(found);
    }
    return found;
  }

  /** The tallies of the group: merged from the groups inside, in their order; for an innermost group, made from its records. */
  private computeTallies(): readonly Tally[] {
    if (this.tallies) return this.tallies;
    const { columns } = this.tree.plan;
    const tallies = columns.map((column) => new Tally(column));
    const inner = this.children.map((child) => child.computeTallies());
    for (const [i, tally] of tallies.entries()) {
      for (const each of inner) tally.merge(each[i] as Tally);
      if (inner.length === 0) tally.addAll(this.records);
    }
    this.tallies = tallies;
    return tallies;
  }
}
