import { renderingMessages } from '../dev/texts.js';
import { DefinitionError } from '../errors/mistakes.js';
import { notesOf } from '../extension/row-notes.js';
import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { inner } from '../model/record.js';
import { CORE, DEFINITION, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { savedPaging } from '../store/paging.js';
import type { Session } from '../sync/session.js';
import { stringifyJson } from '../util/json.js';
import { listKeyOf, placeKeyOf, type RenderedStore } from './rendered-store.js';
import type { RenderedEtag, RenderedQuery, RenderedState } from './state.js';

interface OpenModel {
  /** The name under which the class stands in the state. */
  readonly name: string;
  readonly model: string;
  readonly place: string | undefined;
  readonly rows: object[];
  readonly etags: [id: string, etag: RenderedEtag][];
  readonly incomplete: string[];
}

/** Model classes by the names that the application gives them. */
export type ModelNames = Readonly<Record<string, ModelType<Model>>>;

/**
 * The data of a session, for the page that is rendered from it: the rows of its records as the server sent them, their ETags, and what
 * each of its stores showed. Edits and new records are left out. Make the text for the page with {@link stringify}.
 *
 * `used` are the stores that must be in the page, and records that `session.load()` has read: a session holds both weakly, so that those
 * that nobody uses any more may be gone.
 *
 * A class of the page gets the rows if its model has the same name and it reads from the same address. `names` gives classes names
 * instead: name those of one model and one address, such as the classes of two tenants that differ in their headers, and those whose
 * base address on the server is not that of the page. `hydrate` needs the same names. Throws `DefinitionError` if two classes of one
 * model and address, of which at most one is named, have rows.
 *
 * @example
 * ```ts
 * import { dehydrate, stringify } from 'repose/ssr';
 *
 * const session = new Session();
 * const tasks = new Store({ model: Task, session });
 * await tasks.load();
 * const script = `<script type="application/json" id="state">${stringify(dehydrate(session, [tasks]))}</script>`;
 * ```
 */
export function dehydrate(
  session: Session,
  used: readonly (Model | Iterable<Model>)[] = [],
  names: ModelNames = {},
): RenderedState {
  // Protected, so that applications do not use it.
  const shared = session['records'];
  const models = new OpenModels(names);
  // Listed first: they then stay until this function has ended.
  const { stores } = shared;
  const records = used.flatMap((each) => (Symbol.iterator in each ? [...each] : each));
  for (const record of new Set([...shared.all(), ...records])) addRecord(models, record);
  const queries = listsOf(stores as readonly RenderedStore[], models);
  return {
    v: 2,
    at: Date.now(),
    models: Object.fromEntries(
      models.all().map(({ name, etags, ...model }) => [name, { ...model, etags: Object.fromEntries(etags) }]),
    ),
    queries,
  };
}

/** The classes of a state. */
class OpenModels {
  private readonly byClass: Map<object, OpenModel> = new Map();
  private readonly byName: Map<string, OpenModel> = new Map();
  private readonly names: ReadonlyMap<object, string>;

  constructor(names: ModelNames) {
    this.names = new Map(Object.entries(names).map(([name, Class]) => [Class, name]));
  }

  all(): OpenModel[] {
    return [...this.byName.values()];
  }

  /** The entry of a class, made on first use. Throws `DefinitionError` if it cannot be told from another one. */
  of(Class: object): OpenModel {
    const known = this.byClass.get(Class);
    if (known) return known;
    const { name: model } = (Class as { readonly [DEFINITION]: ModelDefinition })[DEFINITION];
    const given = this.names.get(Class);
    const place = given === undefined ? placeKeyOf(Class) : undefined;
    const isSame = (each: OpenModel) => each.model === model && each.place === place && place !== undefined;
    if (this.all().some(isSame))
      throw new DefinitionError('rendered-classes', { model }, { messages: renderingMessages });
    const open: OpenModel = { name: given ?? this.freeName(model), model, place, rows: [], etags: [], incomplete: [] };
    this.byClass.set(Class, open);
    this.byName.set(open.name, open);
    return open;
  }

  /** A name for a class that the application has not named. */
  private freeName(model: string): string {
    const taken = new Set([...this.names.values(), ...this.byName.keys()]);
    let name = model;
    for (let number = 2; taken.has(name); number += 1) name = `${model} ${number}`;
    return name;
  }
}

/**
 * The text of a state, to put into a page: JSON with every digit of long numbers, which neither ends a `<script>` nor opens a comment in
 * it.
 *
 * @example
 * ```ts
 * import { dehydrate, stringify } from 'repose/ssr';
 *
 * const text = stringify(dehydrate(session, [users]));
 * const html = `<script type="application/json" id="state">${text}</script>`; // no value can end the script
 * ```
 */
export function stringify(state: RenderedState): string {
  const escapes: Readonly<Record<string, string>> = {
    '<': '\\u003c',
    '>': '\\u003e',
    '&': '\\u0026',
    '\u2028': '\\u2028',
    '\u2029': '\\u2029',
  };
  // These characters stand only in texts of JSON, where an escape means the same.
  return (stringifyJson(state) as string).replace(/[<>&\u2028\u2029]/g, (each) => escapes[each] as string);
}

function addRecord(models: OpenModels, record: Model): void {
  const { [ROW]: row, [CORE]: core, [MODEL]: definition } = inner(record);
  const id = definition.rowId(row);
  if (core?.phantom || core?.erased || id === undefined) return;
  const model = models.of(record.constructor);
  model.rows.push(row);
  if (core?.incomplete) model.incomplete.push(String(id));
  const notes = notesOf(row);
  const note = notes?.values['etags'] as RenderedEtag | undefined;
  if (note) model.etags.push([String(id), { ...note, ...(notes?.changed && { changed: true }) }]);
}

/**
 * The lists that the stores show. Two proxies that only their headers tell apart may have the lists of two users, which the page could
 * not tell apart, so both are left out.
 */
function listsOf(stores: readonly RenderedStore[], models: OpenModels): RenderedQuery[] {
  const proxies = new Map<string, Set<DataProxy>>();
  const lists = stores.flatMap((store) => {
    const list = queryOf(store, models);
    if (!list) return [];
    const name = `${list.model} ${list.key}`;
    const sameKey = proxies.get(name) ?? new Set();
    proxies.set(name, sameKey.add(store.proxy));
    return { list, sameKey };
  });
  return lists.filter(({ sameKey }) => sameKey.size === 1).map(({ list }) => list);
}

/** The list that a store shows; undefined: it has not loaded, or not what it would load now. */
function queryOf(store: RenderedStore, models: OpenModels): RenderedQuery | undefined {
  const { hasLoaded, lastLoad, paging, definition, recordSet } = store;
  if (!hasLoaded || !lastLoad || paging.restarted) return undefined;
  const { name, place } = models.of(store.model);
  const key = listKeyOf(store, lastLoad, place === undefined);
  if (key === undefined) return undefined;
  const ids = recordSet.inPlace().flatMap((record) => {
    const id = record.phantom ? undefined : definition.rowId(inner(record)[ROW]);
    return id === undefined ? [] : String(id);
  });
  return { model: name, key, ids, paging: savedPaging<Model>(paging) };
}
