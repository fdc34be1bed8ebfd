import type { BaseModel } from '../model/base-model.js';
import type { Snapshot } from '../store/snapshot.js';
import { sealed } from '../util/values.js';
import type { Group } from './groups-config.js';
import type { SummaryPlan } from './summary-plan.js';
import { Tally } from './tally.js';

/** What the groups of one view have in common. */
export interface GroupTree {
  readonly plan: SummaryPlan;
  /** Brings groups up to date: everything that is read asks for it first. */
  refresh(): void;
  /** Gives groups their places. */
  arrange(): void;
  snapshot(): Snapshot<BaseModel>;
  /** What a record holds of what groups of a level are made by. */
  keyAt(level: number, record: BaseModel): unknown;
}

/** A group; without one around it, all of them. */
export class GroupNode implements Group<BaseModel, never> {
  /** Groups inside, in their order. */
  children: GroupNode[] = [];
  size = 0;
  /** Its place among those beside it, and that of its first record. */
  at = -1;
  first = -1;
  /** Groups that were inside, by what makes keys one: while groups are made. */
  former: Map<unknown, GroupNode> | undefined = undefined;
  tallies: Tally[] | undefined = undefined;
  /** Whether the first record may spell an equal key in another way. */
  private moved = false;
  private made: Readonly<Record<string, unknown>> | undefined = undefined;
  private cut: { snapshot: Snapshot<BaseModel>; records: readonly BaseModel[] } | undefined = undefined;

  constructor(
    private readonly tree: GroupTree,
    readonly around: GroupNode | undefined,
    readonly field: string,
    readonly level: number,
    /** The key as records hold it. */
    public value: unknown,
    /** Whether equal keys may differ, as decimals do. */
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

  /** Notes that records have come, gone or changed. */
  touch(): void {
    this.made = this.tallies = undefined;
    this.moved = this.loose && this.size > 0;
  }

  /** Begins anew, without records. */
  clear(): void {
    this.children = [];
    this.size = 0;
    this.at = this.first = -1;
    this.touch();
  }

  /** All groups inside. */
  inside(found: GroupNode[] = []): GroupNode[] {
    for (const child of this.children) {
      found.push(child);
      child.inside(found);
    }
    return found;
  }

  /** What the groups inside come to, in their order; of an innermost one, its records. */
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
