import type { BaseModel } from '../model/base-model.js';
import type { Snapshot } from '../store/snapshot.js';
import { sealed } from '../util/values.js';
import type { Group } from './groups-config.js';
import type { SummaryPlan } from './summary-plan.js';
import { Tally } from './tally.js';

/** The members of the groups of a view that each group uses. */
export interface GroupTree {
  readonly plan: SummaryPlan;
  /** Builds the groups again if they are outdated. Each getter of a group calls it first. */
  refresh(): void;
  /** Updates the positions of all groups. */
  arrange(): void;
  snapshot(): Snapshot<BaseModel>;
  /** The key of a record at a level. */
  keyAt(level: number, record: BaseModel): unknown;
}

/** A group of records; or the root, which contains all groups. */
export class GroupNode implements Group<BaseModel, never> {
  /** The groups directly inside, in their order. */
  children: GroupNode[] = [];
  size = 0;
  /** Index among the groups of its container; below, the index of its first record in the view. */
  at = -1;
  first = -1;
  /** The groups that were inside before, by key: while the groups are being built again, which reuses them. */
  former: Map<unknown, GroupNode> | undefined = undefined;
  tallies: Tally[] | undefined = undefined;
  /** Whether the first record may write an equal key in another way: `1.0` instead of `1.00`. */
  private moved = false;
  private made: Readonly<Record<string, unknown>> | undefined = undefined;
  private cut: { snapshot: Snapshot<BaseModel>; records: readonly BaseModel[] } | undefined = undefined;

  constructor(
    private readonly tree: GroupTree,
    readonly around: GroupNode | undefined,
    readonly field: string,
    readonly level: number,
    /** The key, as the records hold it. */
    public value: unknown,
    /** Whether equal keys may be written in different ways, as decimals are. */
    private readonly loose: boolean,
  ) {}

  get key(): never {
    this.tree.refresh();
    if (this.moved) this.value = this.tree.keyAt(this.level, this.tree.snapshot().at(this.start) as BaseModel);
    this.moved = false;
    return sealed(this.value) as never;
  }

  get count(): number {
    this.tree.refresh();
    return this.size;
  }

  get index(): number {
    this.tree.arrange();
    return this.at;
  }

  get start(): number {
    this.tree.arrange();
    return this.first;
  }

  get parent(): GroupNode | undefined {
    return this.level > 0 ? this.around : undefined;
  }

  get groups(): readonly GroupNode[] {
    this.tree.refresh();
    return [...this.children];
  }

  get records(): readonly BaseModel[] {
    this.tree.arrange();
    const snapshot = this.tree.snapshot();
    if (this.cut?.snapshot !== snapshot) {
      const { first, size } = this;
      this.cut = { snapshot, records: size > 0 ? snapshot.slice(first, first + size) : [] };
    }
    return this.cut.records;
  }

  get summaries(): never {
    this.tree.refresh();
    this.made ??= this.tree.plan.summarise(() => this.records, this.sum());
    return this.made as never;
  }

  /** Drops the cached summaries, because records of the group came, went or changed. */
  touch(): void {
    this.made = this.tallies = undefined;
    this.moved = this.loose && this.size > 0;
  }

  /** Removes all records and groups. */
  clear(): void {
    this.children = [];
    this.size = 0;
    this.at = this.first = -1;
    this.touch();
  }

  /** All groups inside, of all levels. */
  inside(found: GroupNode[] = []): GroupNode[] {
    for (const child of this.children) {
      found.push(child);
      child.inside(found);
    }
    return found;
  }

  /** The tallies of the group: merged from the groups inside, in their order; for an innermost group, made from its records. */
  private sum(): readonly Tally[] {
    if (this.tallies) return this.tallies;
    const { columns } = this.tree.plan;
    const tallies = columns.map((column) => new Tally(column));
    const inner = this.children.map((child) => child.sum());
    for (const [i, tally] of tallies.entries()) {
      for (const each of inner) tally.merge(each[i] as Tally);
      if (inner.length === 0) tally.addAll(this.records);
    }
    this.tallies = tallies;
    return tallies;
  }
}
