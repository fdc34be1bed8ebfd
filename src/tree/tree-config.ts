import type { AnyDataError } from '../errors/is-data-error.js';
import type { StateError } from '../errors/mistakes.js';
import type { ModelType } from '../model/field.js';
import type { FieldName } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { RecordId } from '../operation/actions.js';
import type { LoadOptions } from '../store/paging.js';
import type { FilterConfig, SorterConfig } from '../store/query.js';
import type { StoreConfig } from '../store/store-config.js';
import type { Source } from '../util/value-source.js';

/** Whether a node and all below it are checked, none of them is, or some are. */
export type CheckedState = 'all' | 'some' | 'none';

/** The state of a node at one moment: the value of the source `node.state`. Frozen. */
export interface TreeNodeState {
  /** Number of nodes above: 0 for a root. `aria-level` is one more. */
  readonly depth: number;
  /** Whether the nodes below are shown. */
  readonly expanded: boolean;
  /** Whether nothing can be below the node. */
  readonly leaf: boolean;
  /** Whether a request for the children is in flight. */
  readonly loading: boolean;
  /** The error of the last request for the children, if that failed; `expand()` asks again. */
  readonly error: AnyDataError | undefined;
  readonly checked: CheckedState;
}

/** A record in a tree. The object is the same while the store holds the record; its members tell the present state. */
export interface TreeNode<M extends Model> extends TreeNodeState {
  readonly record: M;
  /** The node above; undefined for a root. */
  readonly parent: TreeNode<M> | undefined;
  /** The nodes directly below, in their order, also those that a filter hides. */
  readonly children: readonly TreeNode<M>[];
  /** The index in the list of visible records; -1 if the record is not visible. */
  readonly index: number;
  /** The state of the node as a source, for the row of a screen. Its listeners are told with those of `tree.list`. */
  readonly state: Source<TreeNodeState>;
}

/** A record whose parent is wrong. */
export interface TreeIssue<M extends Model> {
  readonly record: M;
  /** The error that describes it: its reason is `tree-cycle` or `tree-orphan`. */
  readonly error: StateError;
}

/** Options of a tree. */
export interface TreeConfig<M extends Model>
  extends Pick<StoreConfig<M>, 'proxy' | 'data' | 'canLoad' | 'concurrency' | 'session' | 'locale'> {
  /** The model of the records: its field `parentField` holds the id of the parent. */
  model: ModelType<M>;
  /** The field with the id of the parent, one that `references()` names. @default the only one for which `references()` names the model itself */
  parentField?: FieldName<NoInfer<M>>;
  /** The value of `parentField` in roots; null, undefined and '' count as well. @default null */
  rootId?: RecordId | null;
  /** The field that says whether nothing can be below a record. @default `leaf`, if the model has this field */
  leafField?: FieldName<NoInfer<M>>;
  /**
   * The field with a number that orders records under the same parent: `insert` and `move` write it, in as few records as possible. Not
   * written while there are `sorters`.
   * @default none
   */
  positionField?: FieldName<NoInfer<M>>;
  /** The order of records under the same parent. @default by `positionField`, else as the server sends them */
  sorters?: readonly SorterConfig<NoInfer<M>>[];
  /** Whether records that are no leaf come before leaves. @default false */
  folderSort?: boolean;
  /**
   * Whether the children of a node are asked for when it is first expanded, by a filter on `parentField`; or a function that gives the
   * options of this request, such as `(parent) => ({ url: parent ? `/folders/${parent.id}/folders` : '/folders' })`. Without a record it is
   * asked for the roots. A request asks for all children, without pages; if the server sends pages with the address of the next, all are read.
   * @default false: one load brings all records
   */
  lazy?: boolean | ((parent: M | undefined) => TreeLoadOptions);
  /**
   * The filters by which a lazy tree asks for its roots, for servers that cannot be asked for null: `{ property: 'parentId', value: 0 }`,
   * or `[]` where the collection has the roots only. Rows in the response are roots if their `parentField` says so.
   * @default `parentField` is `rootId`
   */
  rootFilter?: TreeFilters<NoInfer<M>>;
  /** The member of a row with the rows of its children, such as `children`. It is no part of the row that a write sends. @default none */
  nested?: string;
  /** How records are shown whose parent the tree does not hold: not until the parent comes, or as roots. @default 'wait' */
  orphans?: 'wait' | 'root';
  /**
   * The erases that `remove` leads to: one for each record below as well, those below first; or one for the record itself, because the server
   * erases what is below. @default 'each'
   */
  cascade?: 'each' | 'server';
}

/** The options of a request for the children of a node. */
export type TreeLoadOptions = Pick<LoadOptions<Model>, 'url' | 'params' | 'pathParams' | 'headers'>;

/** Options of `filter`. */
export interface TreeFilterOptions {
  /** Whether nodes are shown expanded that have a match below, while the filter lasts. @default true */
  autoExpand?: boolean | undefined;
}

/** Options of `expandAll` and `loadAll`. */
export interface TreeExpandOptions {
  /** Most requests for children at a time. @default 6 */
  concurrency?: number | undefined;
  /** Ends the call: no further request is sent. */
  signal?: AbortSignal | undefined;
}

/** The filters that `filter` takes. */
export type TreeFilters<M> = FilterConfig<M> | readonly FilterConfig<M>[];
