import type { BaseModel } from '../model/base-model.js';
import type { Direction, Grouper } from '../operation/query.js';

/** What is made of the values of a property; what is null, undefined or no number is left out. */
export type SummaryKind =
  /** How many there are. */
  | 'count'
  /** Numbers, bigints, or exact decimals. */
  | 'sum'
  | 'average'
  /** Anything that has an order: numbers, dates, texts. */
  | 'min'
  | 'max';

/** One kind, several, or a function of the records of a group. */
export type Summary =
  | SummaryKind
  | readonly SummaryKind[]
  // Typed as a method is, whose parameters vary both ways: `(records: readonly Task[]) => …` is one.
  | { summary(records: readonly BaseModel[]): unknown }['summary'];

/** Options of `groups`. */
export interface GroupsOptions {
  /** Names to group by, the outermost first. @default the view's `grouper` */
  readonly by?: readonly (string | { readonly property: string; readonly direction?: Direction | 'asc' | 'desc' })[];
  /** Summaries of each group and of all: of the property of that name, or a function under any name. */
  readonly summaries?: { readonly [name: string]: Summary };
}

type ByName<O> = O extends { by: readonly (infer B)[] }
  ? B extends { property: infer P extends string }
    ? P
    : B extends string
      ? B
      : never
  : string;
type Functions = (...args: never) => unknown;
type Summed<S> = { [K in keyof S & string]: S[K] extends Functions ? never : K }[keyof S & string];
type Members<N extends string> = string extends N ? unknown : { readonly [K in N]: unknown };
type Taken<F> = (F extends (records: readonly (infer R)[]) => unknown ? (record: R) => void : never) extends (
  record: infer R,
) => void
  ? R
  : unknown;
type Needed<O> = Members<ByName<O>> &
  (O extends { summaries: infer S } ? Members<Summed<S>> & Taken<S[keyof S]> : unknown);

/** What a record must be for groups to be made of it. */
export interface GroupsFor<M> {
  /** Of types only. */
  of?(record: M): void;
}

/** Groups to be made of what a view shows; from `groups`. */
export interface GroupsPlugin<O> extends GroupsFor<Needed<O>> {
  readonly by: GroupsOptions['by'] | undefined;
  attach(view: object): Groups<BaseModel, O>;
}

/** What `store.groups` is: where the option is not known of, it may be there or not. */
export type GroupsOf<M, O> = O extends GroupsOptions ? Groups<M, O> : Groups<M> | undefined;

// No conditional type looks at M: a `Store<User>` would be no `Store<Model>`.
type ValueOf<M, K extends PropertyKey> = (M & { readonly [X in K]: unknown })[K];
type SummaryValue<V, K> = K extends 'count'
  ? number
  : K extends 'average'
    ? number | null
    : K extends 'sum'
      ? V & {}
      : (V & {}) | null;
type SummariesOf<M, S> = {
  readonly [K in keyof S]: S[K] extends (...args: never) => infer R
    ? R
    : S[K] extends readonly (infer E)[]
      ? { readonly [X in E & string]: SummaryValue<ValueOf<M, K>, X> }
      : SummaryValue<ValueOf<M, K>, S[K]>;
};

/** The summaries of a group: by name, those of several kinds by kind. */
export type Summaries<M, O> = O extends { summaries: infer S } ? SummariesOf<M, S> : {};

/** What a group and the whole have in common. Everything is read as it is now. */
interface Grouped<M, O> {
  /** Number of records. */
  readonly count: number;
  /** The groups right inside, in their order; none in an innermost group. */
  readonly groups: readonly Group<M, O>[];
  /** Made when they are first read after a change, from the group's own records. */
  readonly summaries: Summaries<M, O>;
}

/** Records with the same value of a property. The same object for as long as it has records. */
export interface Group<M, O = {}> extends Grouped<M, O> {
  /** The value; null where the records have none. Dates are copies. */
  readonly key: ValueOf<M, ByName<O>> | null;
  /** The name of the property. */
  readonly field: string;
  /** How deep it is; 0 for the outermost. */
  readonly level: number;
  /** Its place among those beside it; -1 when it has no records any more. */
  readonly index: number;
  /** The place of its first record in the view; -1 when it has no records any more. */
  readonly start: number;
  /** The group around it. */
  readonly parent: Group<M, O> | undefined;
  /** Its records, in the order of the view. The same array until the view changes. */
  readonly records: readonly M[];
}

/** Groups of what a view shows, kept up to date. */
export interface Groups<M, O = {}> extends Grouped<M, O>, Iterable<Group<M, O>> {
  /** What is grouped by, the outermost first. */
  readonly by: readonly Grouper[];
  /** Another number whenever something may have changed. */
  readonly version: number;
  /** The group with a key, or with one key per level: `get('Research', 'open')`. */
  get(...keys: readonly unknown[]): Group<M, O> | undefined;
  /** Listens; returns the function that stops it. */
  on(event: 'change', listener: (event: GroupsChange<M, O>) => void): () => void;
}

/** All changes of a tick, told after the `change` of the view. Without groups, in the whole. */
export interface GroupsChange<M, O = {}> {
  readonly version: number;
  /** Groups that were not there, of all levels. */
  readonly added: readonly Group<M, O>[];
  readonly removed: readonly Group<M, O>[];
  /** Groups whose records or summaries may be different. */
  readonly changed: readonly Group<M, O>[];
}
