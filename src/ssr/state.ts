import type { renderingMessages as allRenderingMessages } from '../dev/messages/entries.js';
import { renderingMessages } from '../dev/texts.js';
import { describe, type MessageParams } from '../errors/message-format.js';
import { ReadError } from '../errors/read-error.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { DEFINITION } from '../model/symbols.js';
import type { Paging } from '../store/paging.js';
import { getMember, isData } from '../util/data-path.js';
import { parseJson } from '../util/json.js';
import { isPlainObject } from '../util/values.js';
import { placeKeyOf } from './rendered-store.js';

/** The ETag of a row, as `etags()` notes it. */
export interface RenderedEtag {
  readonly etag: string;
  /** Whether a plain read brought it, which may be repeated with `If-None-Match`. */
  readonly read?: boolean;
  /** Whether the row has changed since the ETag was received. */
  readonly changed?: boolean;
}

/** The rows of one class. */
export interface RenderedModel {
  /** The name of its model. */
  readonly model: string;
  /**
   * Identifies the address of the class and the parameters of its proxy. Undefined: the application has named the class, so a class of
   * the page belongs to it by that name, whatever its address is.
   */
  readonly place?: string | undefined;
  /** The rows as the server sent them, undeclared members included. */
  readonly rows: readonly object[];
  /** ETags by the ids of the rows, where `etags()` is used. */
  readonly etags: Readonly<Record<string, RenderedEtag>>;
  /** The ids of rows that lack members, so that a PUT has to read the row first. */
  readonly incomplete: readonly string[];
}

/** The list that one store showed. */
export interface RenderedQuery {
  /** The name of the class in `models`. */
  readonly model: string;
  /** Identifies what the store had asked for: its address, filters, sorters, page size and parameters. */
  readonly key: string;
  /** The ids of the rows, in the order of the server. */
  readonly ids: readonly string[];
  /** How far the collection was read: page, total, next rows. */
  readonly paging: Paging<Model>;
}

/** The data of a session, for the page that was rendered from it. Its form may change with a new `v`. */
export interface RenderedState {
  readonly v: 2;
  /** When the state was made, in milliseconds since 1970. */
  readonly at: number;
  /** The rows of each class, by the name that `dehydrate` was given for it, else by the name of its model. */
  readonly models: Readonly<Record<string, RenderedModel>>;
  readonly queries: readonly RenderedQuery[];
}

/** The class of each entry of `models` in a state. An entry whose rows belong to no class here has none. */
export type ClassByName = ReadonlyMap<string, object>;

/** The classes that the rows of a state may belong to. */
export interface KnownClasses {
  /** The classes by the names that the application gives them. */
  readonly byName: Readonly<Record<string, object>>;
  /** The classes without a name. */
  readonly given: readonly object[];
  /** The classes of the stores of the session. */
  readonly ofStores: readonly object[];
}

/**
 * Reads a state, checks all of it, and finds the class of each of its entries. Throws `ReadError` for a value that is no state of this
 * version, for a model or a name that no class here has, for rows that belong to more than one class, and for rows without ids.
 */
export function readState(given: string | RenderedState, known: KnownClasses): [RenderedState, ClassByName] {
  const state: unknown = typeof given === 'string' ? parsed(given) : given;
  const classes = new Map<string, object>();
  checkState(state, known, classes);
  return [state, classes];
}

/** Checks all of a state, and adds the class of each of its entries to `classes`. */
function checkState(state: unknown, known: KnownClasses, classes: Map<string, object>): asserts state is RenderedState {
  if (!isData(state)) throw wrong(`it is ${describe(state)}`);
  const { v, at, models, queries } = state;
  if (v !== 2) throw refusal('rendered-version', { version: describe(v) });
  if (!Number.isFinite(at)) throw wrong('`at` is no number');
  if (!isData(models)) throw wrong('`models` is no object');
  if (!Array.isArray(queries)) throw wrong('`queries` is no list');
  for (const [name, model] of Object.entries(models)) {
    const Class = checkModel(name, model, known);
    if (Class) classes.set(name, Class);
  }
  for (const query of queries) checkQuery(query, models);
}

/** Checks an entry, and returns its class. */
function checkModel(name: string, entry: unknown, known: KnownClasses): object | undefined {
  const { model, place, rows, etags, incomplete } = Object(entry) as Record<string, unknown>;
  if (typeof model !== 'string' || !(place === undefined || typeof place === 'string'))
    throw wrong(`the model of '${name}' is not named`);
  const hasModel = (Class: object) => definitionOf(Class).name === model;
  const classes = [...Object.values(known.byName), ...known.given, ...known.ofStores].filter(hasModel);
  const [any] = classes;
  if (!any) throw refusal('rendered-model', { model });
  if (!Array.isArray(rows)) throw wrong(`the rows of '${name}' are no list`);
  for (const [index, row] of rows.entries())
    if (!isPlainObject(row) || definitionOf(any).rowId(row) === undefined)
      throw wrong(`row ${index} of '${name}' is no object with an id`);
  const areEtags = isData(etags) && Object.values(etags).every((note) => typeof Object(note).etag === 'string');
  if (!areEtags || !areTexts(incomplete)) throw wrong(`the ETags of '${name}', or its incomplete rows, are not listed`);
  if (place !== undefined) return classAt(place, model, known);
  const named = getMember(known.byName, name) as object | undefined;
  if (!named || !hasModel(named)) throw refusal('rendered-name', { name, model });
  return named;
}

/**
 * The class of a model that reads from a place. A class that was given comes before those of the stores. A named class takes no rows
 * without a name.
 */
function classAt(place: string, model: string, { given, ofStores, byName }: KnownClasses): object | undefined {
  const named = new Set(Object.values(byName));
  for (const classes of [given, ofStores]) {
    const found = [...new Set(classes)].filter(
      (Class) => !named.has(Class) && definitionOf(Class).name === model && placeKeyOf(Class) === place,
    );
    if (found.length > 1) throw refusal('rendered-ambiguous', { model });
    if (found[0]) return found[0];
  }
  return undefined;
}

function definitionOf(Class: object): ModelDefinition {
  return (Class as { readonly [DEFINITION]: ModelDefinition })[DEFINITION];
}

function checkQuery(query: unknown, models: object): void {
  const { model, key, ids, paging } = Object(query) as Record<string, unknown>;
  const {
    complete,
    next,
    total = 0,
    pageWithoutLimit = 1,
    mostRows = 0,
    firstPage = 1,
    links = [],
    ...places
  } = Object(paging) as Record<string, unknown>;
  const isKnown = typeof model === 'string' && Object.hasOwn(models, model);
  const isPaging =
    [places['currentPage'], places['nextStart'], total, pageWithoutLimit, mostRows, firstPage].every(isCount) &&
    typeof complete === 'boolean' &&
    Array.isArray(links) &&
    links.every(isData) &&
    (next === undefined || isData(next));
  if (!isKnown || typeof key !== 'string' || !areTexts(ids) || !isPaging)
    throw wrong(`the list of '${String(model)}' is malformed`);
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text).value;
  } catch (cause) {
    throw refusal('rendered-form', { what: 'it is not JSON' }, cause);
  }
}

function wrong(what: string): ReadError {
  return refusal('rendered-form', { what });
}

function refusal(reason: keyof typeof allRenderingMessages, params: MessageParams, cause?: unknown): ReadError {
  return new ReadError(reason, params, { messages: renderingMessages, cause });
}
