import { setNotes } from '../extension/row-notes.js';
import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import type { InnerModel } from '../model/model-definition.js';
import { inner } from '../model/record.js';
import { markIncomplete, nextTime, settleRead } from '../model/settle.js';
import { CORE, DEFINITION, ROW, SETTINGS } from '../model/symbols.js';
import type { Operation } from '../operation/operation.js';
import { savedPaging } from '../store/paging.js';
import type { QueryRules } from '../store/query-rules.js';
import type { SharingStore } from '../store/sharing.js';
import type { Session } from '../sync/session.js';
import type { PageState, SharedRecords } from '../sync/shared-records.js';
import type { Data } from '../util/data-path.js';
import { RENDERED } from '../util/value-source.js';
import { copyPlain, isSame } from '../util/values.js';
import type { ModelNames } from './dehydrate.js';
import { canShow, listKeyOf, type RenderedStore } from './rendered-store.js';
import { type ClassByName, type RenderedModel, type RenderedQuery, type RenderedState, readState } from './state.js';

/** A load that a store would send, and the rules that say what it leaves to the server. */
interface RenderedLoad {
  readonly rules: QueryRules<Model>;
  readonly operation: Operation;
}

/** The states that a page has given its session, and what became of them. */
class Hydration implements PageState {
  /** The states, newest first, and the classes of their entries. */
  private readonly states: (readonly [state: RenderedState, classes: ClassByName])[] = [];
  /** When the state of a row was made. A row that is not in this map was given by the application, read or written. */
  private readonly madeAt: WeakMap<object, number> = new WeakMap();
  /** The records of the states, which the session would hold weakly. */
  private readonly kept: Set<Model> = new Set();

  constructor(private readonly records: SharedRecords) {}

  /** Adopts a checked state: makes records of its rows, and lets stores show what they showed. */
  add(state: RenderedState, classes: ClassByName): void {
    this.states.push([state, classes]);
    this.states.sort(([a], [b]) => b.at - a.at);
    for (const [name, Class] of classes) this.adopt(Class as InnerModel, state.models[name] as RenderedModel, state.at);
    for (const store of this.records.stores) this.storeOpened(store);
  }

  /** Shows in a store that has not loaded yet what the same store showed on the server. */
  storeOpened(sharing: SharingStore): void {
    const store = sharing as RenderedStore;
    if (store.hasLoaded || store.count > 0 || store.scope.isComplete?.()) return;
    const { signal } = new AbortController();
    // The store may have asked the server to sort and filter, or not.
    const loads = [...new Set([store.partRules, store.wholeRules])].map((rules) => {
      return { rules, operation: store.createOperation(store.firstOptions ?? {}, signal, undefined, rules) };
    });
    for (const [{ models, queries }, classes] of this.states) {
      const [name] = [...classes].find(([, Class]) => Class === store.model) ?? [];
      const ofClass = queries.filter(({ model }) => model === name);
      if (name === undefined || ofClass.length === 0) continue;
      for (const load of loads) {
        const key = listKeyOf(store, load.operation, models[name]?.place === undefined);
        const query = ofClass.find((each) => each.key === key);
        if (query && canShow(store, load.rules, query.paging.complete)) return this.show(store, query, load);
      }
    }
  }

  private show(store: RenderedStore, { ids, paging }: RenderedQuery, { rules, operation }: RenderedLoad): void {
    const { recordSet, definition } = store;
    const { readModels } = this.records;
    const hasRead = readModels.has(store.model);
    const rows = ids.flatMap((id) => this.find(store.model, id) ?? []).map((record) => inner(record)[ROW]);
    // An outbox gives the store the records of its queued writes, and hides those that are to be erased.
    recordSet.observers.tell('rowsComing', rows, undefined);
    if (!hasRead) readModels.delete(store.model);
    store.statusFeed.hold(() => {
      const records = ids.flatMap((id) => recordSet.index.getSaved(id) ?? this.find(store.model, id) ?? []);
      store.pageReader.replaceAll(records, undefined);
      store.loader.cancelSchedule();
      store.finishLoad(savedPaging(paging), rules.split(store.query).sent, definition.clock.now, operation);
    });
    keepRendered(store);
  }

  private find(model: ModelType<Model>, id: string): Model | undefined {
    return this.records.ofModel(model).find(id);
  }

  /** Makes records of the rows that a state has of a class. */
  private adopt(Class: InnerModel, saved: RenderedModel, at: number): void {
    const incomplete = new Set(saved.incomplete);
    for (const row of saved.rows) {
      const record = this.adoptRow(Class, row as Data, saved, at, incomplete);
      if (record) this.kept.add(record);
    }
  }

  private adoptRow(
    Class: InnerModel,
    given: Data,
    { etags }: RenderedModel,
    at: number,
    incomplete: ReadonlySet<string>,
  ): Model | undefined {
    const { records, madeAt } = this;
    const ofModel = records.ofModel(Class);
    const id = String(Class[DEFINITION].rowId(given));
    if (ofModel.isErasedSince(id, 0)) return undefined;
    // Copied, because the state stays with the application.
    const row = copyPlain(given);
    if (Object.hasOwn(etags, id)) {
      const { changed = false, ...note } = etags[id] as RenderedModel['etags'][string];
      setNotes(row, { values: { etags: note }, changed });
    }
    const queued = Class[SETTINGS]?.proxy && (Class.proxy.hooks.keeper?.held(Class, id) as Model | undefined);
    const existing = ofModel.find(id) ?? queued;
    const record = existing ?? Class.fromRow(row);
    if (!existing) {
      if (incomplete.has(id)) markIncomplete(inner(record));
    } else if (this.isNewer(existing, Class, at)) return existing;
    else settleRead(inner(record), row, nextTime(Class[DEFINITION]), incomplete.has(id));
    if (!ofModel.find(id)) ofModel.adopt(record);
    madeAt.set(inner(record)[ROW], at);
    return record;
  }

  /** Whether the row of a record is newer than a state: of a later state, or read or written by the session itself. */
  private isNewer(record: Model, Class: InnerModel, at: number): boolean {
    const before = this.madeAt.get(inner(record)[ROW]);
    if (before !== undefined) return before >= at;
    return this.kept.has(record) || this.records.readModels.has(Class) || (inner(record)[CORE]?.settledAt ?? 0) > 0;
  }
}

/**
 * Time in milliseconds in which a framework takes over the HTML of a page. Later, nothing tells its first rendering from HTML that the page
 * makes for itself, which must show the present.
 */
const TAKEN_OVER_AFTER = 10_000;

/** Keeps what a store shows now for the first rendering in a page: the server has rendered the same, whatever comes before the framework. */
function keepRendered(store: RenderedStore): void {
  const { list, status, hasMore, currentPage } = store;
  // A server that reads a state shows what its stores have loaded since.
  if (!globalThis.document) return;
  const [shown, wasActive] = [list.get(), status.get()];
  // `useStore` shows two members more.
  const activity = Object.freeze({ hasMore, page: currentPage, ...wasActive });
  list[RENDERED] = () => shown;
  // Nothing is rendered once more because of an activity that is the same.
  status[RENDERED] = () => {
    const isAsBefore = store.hasMore === hasMore && store.currentPage === currentPage;
    return isAsBefore && isSame(status.get(), wasActive) ? status.get() : activity;
  };
  const timer = setTimeout(() => {
    list[RENDERED] = undefined;
    status[RENDERED] = undefined;
  }, TAKEN_OVER_AFTER);
  // In Node, as in tests, the timer must not keep the process alive.
  (timer as { unref?(): void }).unref?.();
}

/**
 * Gives a session the data from which its page was rendered. Each row becomes a record of the session; a record that exists keeps its
 * edits, and the row becomes its base, unless the session has read or written it itself, or has a row of a later state. A store of the
 * session, present or future, shows what the same store showed on the server: it is `loaded`, its `ready` is resolved, and `autoLoad`
 * sends nothing. A store is the same if its class has the rows, and its first load would ask the same address for the same.
 *
 * `models` are the classes of the rows, unless stores of the session have them: a list, or an object with the names that `dehydrate` was
 * given. The rows of a class belong to exactly one class here, whose model has the same name and which reads from the same address; if
 * there is none, the rows are not used, and stores load theirs. Throws `ReadError`, and changes nothing, for a text or object that is no
 * state of this version, for an unknown model or name, for rows that belong to more than one of the classes, and for rows without ids.
 *
 * @example
 * ```ts
 * import { hydrate } from 'repose/ssr';
 *
 * const session = new Session();
 * hydrate(session, document.getElementById('state')?.textContent ?? '', [Task]);
 * const tasks = new Store({ model: Task, session }); // shows the list at once
 * ```
 */
export function hydrate(
  session: Session,
  state: string | RenderedState,
  models: readonly ModelType<Model>[] | ModelNames = [],
): void {
  // Protected, so that applications do not use it.
  const records = session['records'];
  const ofStores = records.stores.map(({ model }) => model);
  const [byName, given] = isList(models) ? [{}, models] : [models, []];
  const [checked, classes] = readState(state, { byName, given, ofStores });
  const { hydration } = records;
  const states = hydration instanceof Hydration ? hydration : new Hydration(records);
  records.hydration = states;
  states.add(checked, classes);
}

function isList(models: readonly ModelType<Model>[] | ModelNames): models is readonly ModelType<Model>[] {
  return Array.isArray(models);
}
