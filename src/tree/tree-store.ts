import { checkEvent, checkOptions, fieldHint } from '../dev/checks.js';
import { treeMessages } from '../dev/texts.js';
import { inWords } from '../errors/error-context.js';
import { type AnyDataError, isDataError } from '../errors/is-data-error.js';
import { describe } from '../errors/message-format.js';
import { DefinitionError, StateError } from '../errors/mistakes.js';
import { any, callable, flag, list, oneOf, type Rules, text } from '../errors/option-rules.js';
import { ReadError } from '../errors/read-error.js';
import { AbortError, HttpError } from '../errors/request-errors.js';
import type { ModelType } from '../model/field.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { innerModel, type ModelDefinition } from '../model/model-definition.js';
import { modelClass, proxyOption } from '../model/model-options.js';
import { DEFINITION } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import { type Batch, runParallel } from '../operation/batch.js';
import { targetOf } from '../operation/reference-target.js';
import { ChangeFeed } from '../store/change-feed.js';
import { type CompiledQuery, recordReader } from '../store/compile-query.js';
import type { FilterConfig, SorterConfig } from '../store/query.js';
import { Query, type QueryConfig } from '../store/query.js';
import type { ListSnapshot } from '../store/snapshot.js';
import type { StoreStatus } from '../store/status-feed.js';
import type { Store } from '../store/store.js';
import type { StoreChange, StoreConfig, SyncOptions, ViewEvents } from '../store/store-config.js';
import { limit } from '../store/store-options.js';
import type { Data } from '../util/data-path.js';
import { Notifier } from '../util/notifier.js';
import type { Source } from '../util/value-source.js';
import { Hierarchy } from './hierarchy.js';
import { flatRows, type NestedForm } from './nested-rows.js';
import { changedPositions } from './positions.js';
import type {
  TreeConfig,
  TreeExpandOptions,
  TreeFilterOptions,
  TreeFilters,
  TreeIssue,
  TreeNode,
} from './tree-config.js';
import { descendantsOf, isWithin, itemOf, type TreeBranch, type TreeItem } from './tree-item.js';
import { TreeScope } from './tree-scope.js';

const CONFIG_RULES: Rules<TreeConfig<Model>> = {
  model: modelClass,
  parentField: text,
  rootId: any,
  leafField: text,
  positionField: text,
  sorters: list,
  folderSort: flag,
  lazy: {
    expected: 'true, false or a function',
    holds: (value) => typeof value === 'boolean' || callable.holds(value),
  },
  rootFilter: {
    expected: 'a filter or a list of filters',
    holds: (value) => typeof value === 'object' && value !== null,
  },
  nested: text,
  orphans: /* @__PURE__ */ oneOf('wait', 'root'),
  cascade: /* @__PURE__ */ oneOf('each', 'server'),
  proxy: proxyOption,
  data: list,
  canLoad: callable,
  concurrency: any,
  session: any,
  locale: any,
};
const FILTER_RULES: Rules<TreeFilterOptions> = { autoExpand: flag };
const EXPAND_RULES: Rules<TreeExpandOptions> = { concurrency: limit, signal: any };

/**
 * Shows the records of a model that refers to itself as a tree. The records live in an ordinary store, `tree.store`, which holds pending
 * changes and the selection. `tree.list` is the flat list of visible records, for a grid.
 *
 * @example
 * ```ts
 * import { TreeStore } from 'repose/tree';
 *
 * const tree = new TreeStore({ model: Folder, sorters: ['name'], lazy: true });
 * await tree.load();
 * await tree.expand(tree.list.get().at(0)!);
 * ```
 */
export class TreeStore<M extends Model> {
  readonly model: ModelType<M>;
  /** The store of the records: pending changes, `sync()`, `receive(tree.store, rows)`, events. Its own list is in no tree order. */
  readonly store: Store<M>;
  private readonly scope: TreeScope<M>;
  private readonly hierarchy: Hierarchy<M>;
  private readonly feed: ChangeFeed<M>;
  private readonly events: Notifier<{ change(event: StoreChange<Model>): void }>;
  private readonly definition: ModelDefinition;
  private readonly config: TreeConfig<M>;
  private readonly parentField: string;
  private presentSorters: readonly SorterConfig<M>[];
  private readonly detach: () => void;

  constructor(config: TreeConfig<M>) {
    checkOptions('a tree', config, CONFIG_RULES);
    const { model, orphans = 'wait', folderSort = false, lazy = false, rootId = null, positionField, sorters } = config;
    this.model = model;
    this.config = config;
    this.definition = innerModel(model)[DEFINITION];
    this.parentField = this.inTreeWords(() => this.findParentField());
    const leafField = config.leafField ?? (this.definition.field('leaf') ? 'leaf' : undefined);
    this.inTreeWords(() => {
      for (const option of ['leafField', 'positionField'] as const) this.checkField(option, config[option]);
    });
    const nested: NestedForm | undefined =
      config.nested === undefined ? undefined : { member: config.nested, parentField: this.parentField };
    this.scope = new TreeScope<M>(this.storeConfig(nested), nested, lazy !== false, {
      parentField: this.parentField,
      childrenTold: (ids) => this.hierarchy.childrenTold(ids),
      recordsBelow: (record) => this.hierarchy.recordsBelow(record),
      visibleRecords: () => this.list.get().slice(),
      reload: () => this.reload(),
    });
    this.store = this.scope.store;
    this.presentSorters = sorters ?? (positionField ? [positionField as SorterConfig<M>] : []);
    const { recordSet, definition } = this.scope.inside;
    const reader = recordReader<M>(definition, model.prototype as object);
    const names = new Map(
      [this.parentField, ...(leafField ? [leafField] : [])].map((name) => [name, reader.read(name)]),
    );
    this.events = new Notifier(recordSet.watched);
    this.hierarchy = new Hierarchy<M>(
      {
        ...{ recordSet, leafField, rootId, folderSort, parentField: this.parentField },
        isLazy: lazy !== false,
        showsOrphans: orphans === 'root',
        read: (record, field) => names.get(field)?.(record),
        changed: (record) => this.feed.markChanged(record),
        deliver: () => {
          for (const item of this.hierarchy.watchedItems) item.state.update();
        },
        erased: (below) => {
          if (config.cascade === 'server') this.scope.letGo(below);
        },
      },
      this.compile({ sorters: this.presentSorters }),
    );
    // An unknown name is refused here, not at the first load.
    if (config.rootFilter) this.compile({ filters: listOf(config.rootFilter) });
    this.feed = new ChangeFeed<M>(this.hierarchy.rows, this.events as never, recordSet.watched);
    this.detach = recordSet.observers.attach(Object.assign(this.hierarchy, { storeDisposed: () => this.end() }));
  }

  // ── Reading ──

  /**
   * The visible records as a source, for a screen: each one before those below it. Listeners are told once per microtask, or by `flush()`.
   * `nodeOf(record)` has the depth and the state of each.
   *
   * @example
   * ```ts
   * tree.list.subscribe(() => show(tree.list.get().slice(0, 50).map(({ name }) => name)));
   * ```
   */
  get list(): Source<ListSnapshot<M>> {
    return this.feed.list;
  }

  /** The activity of the tree and its store as a source, for a screen. */
  get status(): Source<StoreStatus> {
    return this.store.status;
  }

  /** Whether the roots, or all records, have been loaded. */
  get loaded(): boolean {
    return this.scope.inside.hasLoaded;
  }

  /** Whether a request for records is in flight or scheduled. */
  get loading(): boolean {
    return this.scope.inside.loading;
  }

  /** The error of the last load that failed; cleared by the next one that succeeds. */
  get error(): AnyDataError | undefined {
    return this.scope.inside.lastError;
  }

  /** A promise of the first load. It never loads by itself. */
  get ready(): Promise<void> {
    return this.store.ready;
  }

  /** The nodes without a parent, in their order. */
  get roots(): readonly TreeNode<M>[] {
    return [...this.hierarchy.childrenOf(this.hierarchy.root)];
  }

  /**
   * The records whose parent is wrong: those among their own ancestors, which are shown as roots, and those without their parent.
   *
   * @example
   * ```ts
   * await tree.load();
   * for (const { record, error } of tree.issues) console.warn(record.name, error.message); // such as a parent that does not exist
   * ```
   */
  get issues(): readonly TreeIssue<M>[] {
    const { hierarchy, definition, parentField: field } = this;
    hierarchy.refresh();
    const { name: model } = definition;
    const issueOf = (record: M, reason: 'tree-cycle' | 'tree-orphan'): TreeIssue<M> => {
      const [id, parent] = [record.getId() ?? '', this.read(record, field)];
      const options = { messages: this.messages };
      return { record, error: new StateError('unresolvable', reason, { model, id, field, parent }, options) };
    };
    const { recordSet } = this.scope.inside;
    const orphans = [...hierarchy.orphans.values()].flatMap((items) => [...items]);
    orphans.sort((a, b) => recordSet.rank(a.record) - recordSet.rank(b.record));
    return [
      ...hierarchy.cyclic.map(({ record }) => issueOf(record, 'tree-cycle')),
      ...orphans.map(({ record }) => issueOf(record, 'tree-orphan')),
    ];
  }

  /**
   * The node of a record; undefined if the tree does not hold the record.
   *
   * @example
   * ```ts
   * for (const item of tree.list.get()) {
   *   const { depth, expanded, leaf } = tree.nodeOf(item)!;
   *   show(' '.repeat(depth), leaf ? '' : expanded ? '▾' : '▸', item.name);
   * }
   * ```
   */
  nodeOf(record: M): TreeNode<M> | undefined {
    return this.hierarchy.get(record);
  }

  /** The records that are checked with all below them, in the order of the tree, also those that a filter or a collapsed node hides. */
  get checkedRecords(): readonly M[] {
    return this.walk(this.hierarchy.root)
      .filter((item) => item.checked === 'all')
      .map(({ record }) => record);
  }

  /** The form of logs for a tree: its model and the number of visible records. */
  toJSON(): object {
    return { model: this.definition.name, count: this.list.get().count };
  }

  /** Tells Vue not to wrap the tree in a proxy: `ref(tree)` holds the tree itself. */
  protected get __v_skip(): true {
    return true;
  }

  // ── Loading ──

  /**
   * Loads all records, or in a lazy tree the roots. Nodes stay expanded, and pending changes are kept. Resolves with the records that came.
   * Rejects with a `DataError`.
   *
   * @example
   * ```ts
   * await tree.load();
   * show(tree.roots.map(({ record }) => record.name));
   * ```
   */
  load(): Promise<readonly M[]> {
    return this.config.lazy ? this.loadBranch(this.hierarchy.root) : this.scope.loadAll(() => this.store.load());
  }

  /**
   * Loads again what `load()` loads, and in a lazy tree the children of all nodes that are expanded; those of the other nodes when they are
   * expanded next. Rejects with a `DataError`.
   *
   * @example
   * ```ts
   * await tree.reload(); // what is open stays open
   * ```
   */
  async reload(): Promise<readonly M[]> {
    if (!this.config.lazy) return await this.load();
    // Rows that come with the others tell children anew.
    for (const item of this.walk(this.hierarchy.root)) if (!item.isExpanded) item.load.loaded = false;
    const records = await this.load();
    const open = this.walk(this.hierarchy.root, (item) => item.isExpanded).filter(({ load }) => load.loaded);
    await Promise.all(open.map((item) => this.loadBranch(item)));
    return records;
  }

  /**
   * Repeats the loads that failed: of the tree, or of single nodes. Resolves with an empty list if none has. Rejects with a `DataError`.
   *
   * @example
   * ```ts
   * if (tree.error) await tree.retry(); // "Try again"
   * ```
   */
  async retry(): Promise<readonly M[]> {
    if (!this.config.lazy) return await this.scope.loadAll(() => this.store.retry());
    const { root, items } = this.hierarchy;
    const failed = [root, ...items.values()].filter(({ load }) => load.error !== undefined);
    return (await Promise.all(failed.map((branch) => this.loadBranch(branch)))).flat();
  }

  /**
   * Loads the children of a node again, in a lazy tree; calls at the same time share one request. Rejects with a `DataError`.
   *
   * @example
   * ```ts
   * const children = await tree.loadChildren(folder); // as the server has them now
   * show(children.length, tree.nodeOf(folder)?.expanded); // the node stays open or closed
   * ```
   */
  loadChildren(record: M): Promise<readonly M[]> {
    return this.attempt(() => this.loadBranch(this.known(record)));
  }

  /**
   * Shows the records below a record. In a lazy tree, the first call asks for them; calls at the same time share the request, and a call after
   * a failure asks again. A leaf stays as it is. Resolves with the children. Rejects with a `DataError`, which `nodeOf(record).error` has too,
   * and with `StateError` for a record that the tree does not hold.
   *
   * @example
   * ```ts
   * const children = await tree.expand(folder); // a lazy tree loads the children of folder 7
   * show(children.map(({ name }) => name));
   * ```
   */
  expand(record: M): Promise<readonly M[]> {
    return this.attempt(() => {
      const item = this.known(record);
      if (item.leaf) return Promise.resolve([]);
      this.hierarchy.setOpen(item, true);
      const children = () => this.hierarchy.childrenOf(item).map((child) => child.record);
      if (!this.config.lazy || item.load.loaded || record.phantom) return Promise.resolve(children());
      return this.loadBranch(item).then(children);
    });
  }

  /**
   * Hides the records below a record. Throws `StateError` for a record that the tree does not hold.
   *
   * @example
   * ```ts
   * if (tree.nodeOf(folder)?.expanded) tree.collapse(folder);
   * else await tree.expand(folder);
   * ```
   */
  collapse(record: M): void {
    this.hierarchy.setOpen(this.known(record), false);
  }

  /**
   * Shows the records below all records: at once those that are loaded. A lazy tree then asks for the missing children, level by level,
   * with at most `concurrency` requests at a time. Nodes that a filter hides are not asked for. The first failure ends it; requests that
   * are in flight then still bring their records. Rejects with the `DataError` of this failure, and with `AbortError` when `signal` is
   * aborted.
   *
   * @example
   * ```ts
   * const stop = new AbortController();
   * await tree.expandAll({ signal: stop.signal });
   * ```
   */
  expandAll(options: TreeExpandOptions = {}): Promise<void> {
    return this.attempt(() => {
      this.inTreeWords(() => {
        checkOptions('expandAll()', options, EXPAND_RULES);
      });
      this.hierarchy.setAllOpen(true);
      return this.config.lazy ? this.loadMissing(options, (item) => this.expand(item.record)) : Promise.resolve();
    });
  }

  /**
   * Loads what is missing, and opens no node: a lazy tree asks for the missing children as `expandAll()` does, a tree that is not lazy loads
   * once. After it, `filter()` finds all records. Rejects as `expandAll()` does.
   *
   * @example
   * ```ts
   * await tree.loadAll();
   * tree.filter({ property: 'name', operator: 'like', value: 'letter' });
   * ```
   */
  loadAll(options: TreeExpandOptions = {}): Promise<void> {
    return this.attempt(() => {
      this.inTreeWords(() => {
        checkOptions('loadAll()', options, EXPAND_RULES);
      });
      return this.loadMissing(options, (item) => this.loadBranch(item));
    });
  }

  /**
   * Shows the roots only.
   *
   * @example
   * ```ts
   * tree.collapseAll();
   * await tree.reveal(42); // only the way to folder 42 is open
   * ```
   */
  collapseAll(): void {
    this.hierarchy.setAllOpen(false);
  }

  /**
   * Expands all nodes above a record, so that it is visible unless a filter hides it. A lazy tree reads the record and those above it first, as
   * far as they are missing, and then their children. Resolves with the record; with undefined if there is none with this id, or if it hangs
   * nowhere, because its parent does not exist. Rejects with a `DataError` if a request fails.
   *
   * @example
   * ```ts
   * const folder = await tree.reveal(42);
   * if (folder) show(tree.nodeOf(folder)!.index);
   * ```
   */
  async reveal(id: RecordId): Promise<M | undefined> {
    const { hierarchy, store } = this;
    const record = store.getById(id) ?? (await this.readRecord(id));
    if (!record) return undefined;
    if (this.config.lazy) await this.readAbove(record);
    const item = hierarchy.get(record);
    const above: TreeItem<M>[] = [];
    for (let parent = item?.parent; parent; parent = parent.parent) above.unshift(parent);
    if (!item?.branch || (above[0] ?? item).branch !== hierarchy.root) return undefined;
    for (const each of above) hierarchy.setOpen(each, true);
    const toLoad = this.config.lazy ? above.filter((each) => !each.load.loaded && !each.record.phantom) : [];
    await Promise.all(toLoad.map((each) => this.loadBranch(each)));
    return record;
  }

  /** Aborts nothing and drops nothing pending, as `dispose()` of the store, which ends with the tree. */
  dispose(): void {
    this.store.dispose();
  }

  // ── Changing ──

  /**
   * Adds a record under another one, behind its children; `null` adds a root. Plain values become a new record, whose `parentField` follows
   * the parent, also while that is new. Returns the record. Throws `StateError` as `store.add` does, and for a parent that the tree does not
   * hold.
   *
   * @example
   * ```ts
   * const documents = tree.append(null, { name: 'Documents' }); // a root
   * tree.append(documents, { name: 'Letters' });
   * await tree.sync(); // POST /folders for Documents, then for Letters with its new parentId
   * ```
   */
  append(parent: M | null, values: M | RecordInput<ValuesOf<M>>): M {
    return this.insert(parent, Number.POSITIVE_INFINITY, values);
  }

  /**
   * Adds a record under another one, before the child at `index`, as `append` does. With `sorters`, the index decides only between records
   * that are equal in their order; with `positionField`, positions are written.
   *
   * @example
   * ```ts
   * const drafts = tree.insert(folder, 0, { name: 'Drafts' }); // the first child of folder 7
   * await tree.sync();
   * show(drafts.parentId); // 7
   * ```
   */
  insert(parent: M | null, index: number, values: M | RecordInput<ValuesOf<M>>): M {
    const { inside } = this.scope;
    const branch = this.branchOf(parent);
    const before = this.childAt(branch, index);
    const parentId = this.parentIdOf(parent);
    return this.inOneTick(() => {
      // The store refuses a record of another model.
      const isRecord = '$' in values;
      const given = isRecord ? values : { ...values, [this.parentField]: parentId };
      const [record] = inside.placeRecords(before, [given as M]) as [M];
      if (isRecord) this.setParent(record, parentId);
      this.writePositions(branch, record, before);
      return record;
    });
  }

  /**
   * Moves a record, with all below it, under another one, before the child at `index`; without it, behind the children. `null` makes it a root.
   * Writes `parentField`, and with `positionField` the positions of as few records as possible. Throws `StateError`, and changes nothing, for a
   * record that the tree does not hold, and for a parent that is the record itself or below it.
   *
   * @example
   * ```ts
   * tree.move(folder, target, 0);
   * await tree.sync();
   * ```
   */
  move(record: M, parent: M | null, index: number = Number.POSITIVE_INFINITY): void {
    const item = this.known(record);
    const branch = this.branchOf(parent);
    if (isWithin(itemOf(branch), item)) {
      const { name: model } = this.definition;
      const [id, parentId] = [record.getId() ?? '', parent?.getId() ?? ''];
      const options = { messages: this.messages };
      throw new StateError('unresolvable', 'tree-under-itself', { model, id, parent: parentId }, options);
    }
    const before = this.childAt(branch, index, record);
    this.inOneTick(() => {
      if (before !== record) this.scope.inside.recordSet.place(before, [record]);
      this.setParent(record, this.parentIdOf(parent));
      this.writePositions(branch, record, before);
    });
  }

  /**
   * Removes a record with all below it: they are hidden at once, and the next `sync()` erases them. With `cascade: 'each'`, each one is erased,
   * those below first; records that were not loaded are left to the server. With `'server'`, only the record itself is erased, and those below
   * leave the store when that has succeeded. A failed erase shows the record again. Returns the records that will be erased. Throws
   * `StateError` for a record that the tree does not hold.
   *
   * @example
   * ```ts
   * const erased = tree.remove(folder);
   * show(`${erased.length} folders will be erased`);
   * const batch = await tree.sync(); // those below first
   * for (const { record, error } of batch.failures) show(record.name, error.userMessage); // shown again
   * ```
   */
  remove(record: M): readonly M[] {
    const item = this.known(record);
    const below = this.config.cascade === 'server' ? [] : descendantsOf(item).map((each) => each.record);
    return this.inOneTick(() => this.scope.inside.removeRecords([...below.reverse(), record]));
  }

  /**
   * Writes all pending changes, as `store.sync()` does: new parents before those below them.
   *
   * @example
   * ```ts
   * tree.append(folder, { name: 'Letters' });
   * const batch = await tree.sync();
   * for (const { record, error } of batch.failures) show(record.name, error.userMessage);
   * ```
   */
  sync(options: SyncOptions<M> = {}): Promise<Batch<M>> {
    return this.store.sync(options);
  }

  /**
   * Checks a record and all below it that the filter keeps, or takes their check marks away. Those of the nodes above follow. Throws
   * `StateError` for a record that the tree does not hold.
   *
   * @example
   * ```ts
   * tree.check(folder, true);
   * show(tree.nodeOf(folder)?.checked); // 'all'
   * show(tree.checkedRecords.map(({ name }) => name)); // the folder, and all below it
   * ```
   */
  check(record: M, checked: boolean): void {
    this.hierarchy.setChecked(this.known(record), checked);
  }

  // ── Sorting and filtering ──

  /** The present order of records under the same parent. */
  get sorters(): readonly SorterConfig<M>[] {
    return this.presentSorters;
  }

  /**
   * Sorts the records under each parent. Throws `UnsupportedQueryError` for an unknown name.
   *
   * @example
   * ```ts
   * tree.sort('name');
   * ```
   */
  sort(sorters: SorterConfig<M> | readonly SorterConfig<M>[]): void {
    const next = (Array.isArray(sorters) ? sorters : [sorters]) as readonly SorterConfig<M>[];
    this.hierarchy.setOrder(this.compile({ sorters: next }));
    this.presentSorters = next;
  }

  /**
   * Shows only the records that pass all filters, and those above them. Nodes with a match below are shown expanded while the filter lasts;
   * `clearFilter()` gives back what was expanded before. Sends nothing: a lazy tree filters the records that it holds. Throws
   * `UnsupportedQueryError` for an unknown name.
   *
   * @example
   * ```ts
   * tree.filter({ property: 'name', operator: 'like', value: 'letter' }); // with the folders above each match
   * ```
   */
  filter(filters: TreeFilters<M>, options: TreeFilterOptions = {}): void {
    inWords(this.messages, () => {
      checkOptions('filter()', options, FILTER_RULES);
    });
    this.hierarchy.setFilter(this.compile({ filters: listOf(filters) }), options.autoExpand ?? true);
  }

  /**
   * Shows all records again.
   *
   * @example
   * ```ts
   * tree.filter({ property: 'name', operator: 'like', value: 'letter' });
   * tree.clearFilter(); // what the filter had opened is closed again
   * ```
   */
  clearFilter(): void {
    this.hierarchy.setFilter(undefined, false);
  }

  // ── Events ──

  /**
   * Adds a listener to the changes of the visible records; returns the function that removes it.
   *
   * @example
   * ```ts
   * const stop = tree.on('change', (change) => {
   *   const { added, removed } = differenceOf(change);
   *   show(`${added.length} came, ${removed.length} went`);
   * });
   * await tree.expand(folder);
   * stop();
   * ```
   */
  on<K extends 'change'>(event: K, listener: (event: ViewEvents<M>[K]) => void): () => void {
    inWords(this.messages, () => {
      checkEvent('a tree', event, ['change'], listener);
    });
    this.feed.beforeListen();
    return this.events.on(event, listener);
  }

  /**
   * Delivers the pending changes of this tick now.
   *
   * @example
   * ```ts
   * tree.collapse(folder);
   * tree.flush();
   * show(tree.list.get().count); // without what was below the folder
   * ```
   */
  flush(): void {
    this.store.flush();
    this.feed.flush();
  }

  // ── Internal ──

  private get messages(): typeof this.definition.messages {
    return { ...treeMessages, ...this.definition.messages };
  }

  private inTreeWords<T>(act: () => T): T {
    return inWords(this.messages, act);
  }

  /** The field that refers to the model itself. Only a reference gets the id of a new parent, and orders the writes. */
  private findParentField(): string {
    const { config, definition, model } = this;
    this.checkField('parentField', config.parentField);
    const { references } = model as { references?(): Readonly<Record<string, unknown>> };
    const declared = Object.entries(references?.call(model) ?? {})
      .filter(([, reference]) => isBaseOf(targetOf(reference), model))
      .map(([field]) => field);
    const fields = config.parentField === undefined ? declared : declared.filter((each) => each === config.parentField);
    const [name] = fields;
    if (name !== undefined && fields.length === 1) return name;
    const hint = fields.length > 1 ? `, or several: ${fields.join(', ')}; \`parentField\` says which` : '';
    throw new DefinitionError('tree-parent-field', { model: definition.name, hint });
  }

  private checkField(option: string, field: string | undefined): void {
    const { name: model, fields } = this.definition;
    if (field === undefined || this.definition.field(field)) return;
    throw new DefinitionError('tree-field', { option, field, model, hint: fieldHint(field, fields) });
  }

  private storeConfig(nested: NestedForm | undefined): StoreConfig<M> {
    const { model, proxy, data, canLoad, concurrency, session } = this.config;
    const flat = nested && data ? flatRows(data as readonly Data[], nested, this.definition).rows : data;
    const given = { proxy, data: flat as typeof data, canLoad, concurrency, session };
    const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return { ...options, model, pageSize: 0 };
  }

  private compile(part: QueryConfig<M>): CompiledQuery<M> {
    return inWords(this.messages, () => {
      const { wholeRules: rules } = this.scope.inside;
      const { locale } = this.config;
      const local = { remoteSort: false, remoteFilter: false, autoSort: false, autoFilter: false };
      const own = locale === undefined ? local : { ...local, locale: new Intl.Collator(locale as string) };
      return rules.with(own).compile(Query.of<M>(this.model, part as QueryConfig<NoInfer<M>>));
    });
  }

  private read(record: M, field: string): unknown {
    return (record as Data)[field];
  }

  /** The item of a record. Throws `StateError` for a record that the tree does not hold. */
  private known(record: M): TreeItem<M> {
    const item = this.hierarchy.get(record);
    if (item) return item;
    const value =
      record && typeof record === 'object' && '$' in record ? 'A record of another store' : describe(record);
    const params = { model: this.definition.name, value };
    throw new StateError('foreign', 'tree-unknown', params, { messages: this.messages });
  }

  private branchOf(parent: M | null): TreeBranch<M> {
    return parent === null ? this.hierarchy.root : this.known(parent);
  }

  private parentIdOf(parent: M | null): unknown {
    return parent === null ? (this.config.rootId ?? null) : parent.getId();
  }

  /** The child at an index, not counting `moving`; undefined behind the last one. */
  private childAt(branch: TreeBranch<M>, index: number, moving?: M): M | undefined {
    const children = this.hierarchy.childrenOf(branch).filter(({ record }) => record !== moving);
    return children[index]?.record;
  }

  private setParent(record: M, id: unknown): void {
    if (this.read(record, this.parentField) !== id) setField(record, this.parentField, id);
  }

  /** Writes the positions of the records at a branch, so that `record` comes before another one, or last. */
  private writePositions(branch: TreeBranch<M>, record: M, before: M | undefined): void {
    const { positionField, sorters, folderSort } = this.config;
    const field = positionField as string | undefined;
    if (field === undefined || sorters !== undefined || this.presentSorters[0] !== field) return;
    const item = this.hierarchy.get(record) as TreeItem<M>;
    const others = this.hierarchy
      .childrenOf(branch)
      .filter((each) => each !== item && !(folderSort && each.leaf !== item.leaf));
    const place = others.findIndex((each) => each.record === before);
    const records = others.map((each) => each.record);
    records.splice(place < 0 ? records.length : place, 0, record);
    const positions = records.map((each) => this.read(each, field) as number | undefined);
    for (const [at, position] of changedPositions(positions)) setField(records[at] as M, field, position);
  }

  /** Changes several records, and tells the listeners once. */
  private inOneTick<T>(change: () => T): T {
    return this.scope.inside.statusFeed.hold(() => this.store.batch(change));
  }

  private walk(branch: TreeBranch<M>, goesBelow: (item: TreeItem<M>) => boolean = () => true): TreeItem<M>[] {
    this.hierarchy.refresh();
    const found: TreeItem<M>[] = [];
    const stack = [...this.hierarchy.sortedItems(branch)].reverse();
    for (let item = stack.pop(); item; item = stack.pop()) {
      found.push(item);
      if (!goesBelow(item)) continue;
      const below = this.hierarchy.sortedItems(item);
      // One by one, because a call takes only so many arguments.
      for (let at = below.length - 1; at >= 0; at -= 1) stack.push(below[at] as TreeItem<M>);
    }
    return found;
  }

  /** Asks for all children that are missing below the nodes that the filter keeps. */
  private async loadMissing(
    { concurrency = 6, signal }: TreeExpandOptions,
    load: (item: TreeItem<M>) => Promise<unknown>,
  ): Promise<void> {
    const { hierarchy, messages } = this;
    const checkSignal = () => {
      if (signal?.aborted) throw new AbortError('abort', {}, { cause: signal.reason, messages });
    };
    const isMissing = (item: TreeItem<M>) =>
      !item.leaf && !item.load.loaded && !item.record.phantom && hierarchy.isKept(item);
    const asked = new Set<TreeItem<M>>();
    let failure: unknown;
    const loadOne = async (item: TreeItem<M>) => {
      if (failure !== undefined) return;
      try {
        checkSignal();
        // The record may have left the tree since.
        if (hierarchy.get(item.record) === item) await load(item);
      } catch (error) {
        failure = error;
      }
    };
    checkSignal();
    if (!this.loaded) await this.load();
    if (!this.config.lazy) return;
    for (;;) {
      // A node that stays a folder without children is asked for once only.
      const level = this.walk(hierarchy.root).filter((item) => isMissing(item) && !asked.has(item));
      if (level.length === 0) return;
      for (const item of level) asked.add(item);
      await runParallel(
        level.map((item) => () => loadOne(item)),
        concurrency,
      );
      if (failure !== undefined) throw failure;
    }
  }

  private attempt<T>(act: () => Promise<T>): Promise<T> {
    try {
      return act();
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Reads the children of a branch, in one request for all calls at the same time. */
  private loadBranch(branch: TreeBranch<M>): Promise<readonly M[]> {
    const { load } = branch;
    if (!this.config.lazy) return this.load();
    if (load.promise) return load.promise;
    const promise = this.readBranch(branch).finally(() => {
      load.promise = undefined;
      this.hierarchy.loadChanged(branch);
    });
    load.promise = promise;
    load.error = undefined;
    this.hierarchy.loadChanged(branch);
    return promise;
  }

  private async readBranch(branch: TreeBranch<M>): Promise<readonly M[]> {
    const { scope, hierarchy } = this;
    const { load } = branch;
    const isFirst = !load.loaded;
    try {
      const found = await scope.readBranch({
        options: this.optionsOf(branch),
        parent: itemOf(branch)?.record,
        replaced: () => {
          hierarchy.refresh();
          const item = itemOf(branch);
          const isHeld = !item || hierarchy.items.get(item.record) === item;
          return isHeld ? branch.items.map(({ record }) => record) : undefined;
        },
      });
      load.loaded = true;
      if (isFirst && itemOf(branch)?.ownCheck) this.checkFirst(branch, found);
      scope.branchLoaded(this.anyError());
      return found;
    } catch (cause) {
      const error = cause as AnyDataError;
      if (!this.store.disposed && isDataError(cause)) {
        load.error = error;
        if (error.operation && error.code !== 'abort') scope.inside.reportFailure(error, error.operation);
      }
      throw cause;
    }
  }

  /** Children that are loaded for the first time under a checked record are checked as well. */
  private checkFirst(branch: TreeBranch<M>, found: readonly M[]): void {
    for (const record of found) {
      const item = this.hierarchy.get(record);
      if (item && item.branch === branch) this.hierarchy.setChecked(item, true);
    }
  }

  private anyError(): AnyDataError | undefined {
    const { root, items } = this.hierarchy;
    return [root, ...items.values()].find(({ load }) => load.error)?.load.error;
  }

  /** The options of the request for the children of a branch. */
  private optionsOf(branch: TreeBranch<M>): object {
    const { lazy, rootId = null, rootFilter } = this.config;
    const record = itemOf(branch)?.record;
    if (typeof lazy === 'function') return lazy(record);
    const byParent = { property: this.parentField, operator: 'eq', value: record ? record.getId() : rootId };
    const filters = record || rootFilter === undefined ? [byParent] : listOf(rootFilter);
    return { query: Query.of<M>(this.model, { filters: filters as readonly FilterConfig<M>[] }) };
  }

  private async readRecord(id: unknown): Promise<M | undefined> {
    if (!this.config.lazy) return undefined;
    try {
      const [record] = await this.scope.readBranch({ options: { id: id as RecordId }, replaced: () => [] });
      return record;
    } catch (error) {
      const isMissing = error instanceof HttpError && (error.status === 404 || error.status === 410);
      if (isMissing || (error instanceof ReadError && error.reason === 'response-record')) return undefined;
      throw error;
    }
  }

  /** Reads the records above a record, as far as the store lacks them. */
  private async readAbove(record: M): Promise<void> {
    const visited = new Set<M>();
    let at: M | undefined = record;
    while (at && !visited.has(at)) {
      visited.add(at);
      const id = this.read(at, this.parentField) as RecordId | null | undefined;
      if (id === null || id === undefined || id === '' || id === this.config.rootId) return;
      at = this.store.getById(id) ?? (await this.readRecord(id));
    }
  }

  private end(): void {
    this.detach();
    this.events.clear();
    this.hierarchy.end();
    this.feed.list.end();
  }
}

/** Whether a model is another one, or was made from it. */
function isBaseOf(target: unknown, model: unknown): boolean {
  if (target === model) return true;
  return typeof target === 'function' && (model as { prototype: object }).prototype instanceof target;
}

function listOf<M>(filters: TreeFilters<M>): NonNullable<QueryConfig<M>['filters']> {
  return (Array.isArray(filters) ? filters : [filters]) as NonNullable<QueryConfig<M>['filters']>;
}

function setField(record: Model, field: string, value: unknown): void {
  (record as Model & { set(values: object): unknown }).set({ [field]: value });
}
