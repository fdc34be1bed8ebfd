import type { Model } from '../model/model.js';
import type { Direction, Grouper } from '../operation/query-parts.js';

/** A summary of the values of a property. Values that are null, undefined or NaN are left out. */
export type SummaryKind =
  /** The number of values. */
  | 'count'
  /** The sum of numbers, bigints or decimals; sums of bigints and decimals are exact. */
  | 'sum'
  | 'average'
  /** The least or the greatest of values that have an order: numbers, dates, texts. */
  | 'min'
  | 'max';

/** A summary: one kind, several kinds, or a function of the records of a group. */
export type Summary =
  | SummaryKind
  | readonly SummaryKind[]
  // A method type, because parameters of methods are bivariant: so `(records: readonly Task[]) => …` can be assigned.
  | { summary(records: readonly Model[]): unknown }['summary'];

/** Options of `groups`. */
export interface GroupsOptions {
  /** Names to group by, the outermost level first. @default the view's `grouper` */
  readonly by?: readonly (string | { readonly property: string; readonly direction?: Direction | 'asc' | 'desc' })[];
  /** Summaries of each group and of all records: kinds under the name of a property, or functions under any name. */
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
type SummedNames<S> = { [K in keyof S & string]: S[K] extends Functions ? never : K }[keyof S & string];
type MembersNamed<N extends string> = string extends N ? unknown : { readonly [K in N]: unknown };
type SummaryRecord<F> = (F extends (records: readonly (infer R)[]) => unknown ? (record: R) => void : never) extends (
  record: infer R,
) => void
  ? R
  : unknown;
type RequiredMembers<O> = MembersNamed<ByName<O>> &
  (O extends { summaries: infer S } ? MembersNamed<SummedNames<S>> & SummaryRecord<S[keyof S]> : unknown);

/** The type that records must have for these groups. */
export interface GroupsFor<M> {
  /** Exists in types only. */
  of?(record: M): void;
}

/** The option `groups` of a store or view, as `groups()` returns it. */
export interface GroupsPlugin<O> extends GroupsFor<RequiredMembers<O>> {
  readonly by: GroupsOptions['by'] | undefined;
  attach(view: object): Groups<Model, O>;
}

/** The type of `store.groups`; possibly undefined if the type of the store does not say whether it has the option `groups`. */
export type GroupsOf<M, O> = O extends GroupsOptions ? Groups<M, O> : Groups<M> | undefined;

// Not a conditional type on `M`: otherwise a `Store<User>` could not be assigned to `Store<Model>`.
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

/** The summaries of a group by name; a summary of several kinds is an object by kind. */
export type Summaries<M, O> = O extends { summaries: infer S } ? SummariesOf<M, S> : {};

/** The members that a group and the whole view have in common. All members give the present state. */
interface Grouped<M, O> {
  /** Number of records. */
  readonly count: number;
  /** The groups directly inside, in their order; empty for an innermost group. */
  readonly groups: readonly Group<M, O>[];
  /** The summaries of the records inside; computed when they are first read after a change. */
  readonly summaries: Summaries<M, O>;
}

/** A group: records with the same value of a property. The same object as long as the group has records. */
export interface Group<M, O = {}> extends Grouped<M, O> {
  /** The value that the records share; null if they have none. A date is a copy. */
  readonly key: ValueOf<M, ByName<O>> | null;
  /** The name of the property. */
  readonly field: string;
  /** The level of the group; 0 for the outermost. */
  readonly level: number;
  /** Index of the group among the groups with the same parent; -1 when it has no records any more. */
  readonly index: number;
  /** Index of its first record in the view; -1 when it has no records any more. */
  readonly start: number;
  /** The group that contains it; undefined for an outermost group. */
  readonly parent: Group<M, O> | undefined;
  /** The records of the group, in the order of the view. The same array until the view changes. */
  readonly records: readonly M[];
}

/** The groups of the records that a view shows. They follow all changes. */
export interface Groups<M, O = {}> extends Grouped<M, O>, Iterable<Group<M, O>> {
  /** The present groupers, the outermost first. */
  readonly by: readonly Grouper[];
  /** A number that rises whenever groups or summaries may have changed. */
  readonly version: number;
  /**
   * Whether the records are those of a part of what the server has for the query, such as one page: then the numbers and summaries are those of
   * this part.
   *
   * @example
   * ```ts
   * import { groups } from 'repose/groups';
   *
   * const people = new Store({ model: User, pageSize: 25, groups: groups({ summaries: { age: 'average' } }) });
   * await people.load();
   * show(people.groups.summaries.age, people.groups.partial ? 'of the loaded people' : 'of all people');
   * ```
   */
  readonly partial: boolean;
  /**
   * Finds the group with a key; give one key per level for a group inside: `get('Research', 'open')`.
   *
   * @example
   * ```ts
   * import { groups } from 'repose/groups';
   *
   * const people = new Store({ model: User, pageSize: 0, groups: groups({ by: ['team', 'age'] }) });
   * await people.load();
   * show(people.groups.get('A')?.count, people.groups.get('A', 36)?.records.length);
   * ```
   */
  get(...keys: readonly unknown[]): Group<M, O> | undefined;
  /**
   * Adds a listener; returns the function that removes it.
   *
   * @example
   * ```ts
   * import { groups } from 'repose/groups';
   *
   * const people = new Store({ model: User, groups: groups({ by: ['team'] }) });
   * people.groups.on('change', ({ changed }) => show(changed.map(({ key, count }) => `${key}: ${count}`)));
   * ```
   */
  on(event: 'change', listener: (event: GroupsChange<M, O>) => void): () => void;
}

/**
 * All changes of groups in one tick. Emitted after the `change` event of the view. The lists are empty if only the whole changed.
 */
export interface GroupsChange<M, O = {}> {
  readonly version: number;
  /** New groups, of all levels. */
  readonly added: readonly Group<M, O>[];
  readonly removed: readonly Group<M, O>[];
  /** Groups whose records or summaries may have changed. */
  readonly changed: readonly Group<M, O>[];
}
