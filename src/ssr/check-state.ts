import { renderingMessages } from '../errors/messages/rendering.js';
import { describe, type MessageParams } from '../errors/messages.js';
import { ReadError } from '../errors/read-error.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { isData } from '../util/data-path.js';
import { parseJson } from '../util/parse-json.js';
import { isPlainObject } from '../util/values.js';
import type { RenderedState } from './state.js';

/**
 * Reads a state, and checks all of it. Throws `ReadError` for a value that is no state of this version, for a model that is not among
 * `definitions`, and for rows without ids.
 */
export function readState(
  given: string | RenderedState,
  definitions: ReadonlyMap<string, ModelDefinition>,
): RenderedState {
  const state = typeof given === 'string' ? parsed(given) : given;
  if (!isData(state)) throw wrong(`it is ${describe(state)}`);
  const { v, at, models, queries } = state as unknown as RenderedState;
  if (v !== 1) throw refusal('rendered-version', { version: describe(v) });
  if (!Number.isFinite(at)) throw wrong('`at` is no number');
  if (!isData(models)) throw wrong('`models` is no object');
  if (!Array.isArray(queries)) throw wrong('`queries` is no list');
  for (const [name, model] of Object.entries(models)) checkModel(name, model, definitions.get(name));
  for (const query of queries) checkQuery(query, models);
  return state as unknown as RenderedState;
}

function checkModel(name: string, model: unknown, definition: ModelDefinition | undefined): void {
  if (!definition) throw refusal('rendered-model', { model: name });
  const { rows, etags, incomplete } = Object(model) as { rows?: unknown; etags?: unknown; incomplete?: unknown };
  if (!Array.isArray(rows)) throw wrong(`the rows of '${name}' are no list`);
  for (const [index, row] of rows.entries())
    if (!isPlainObject(row) || definition.rowId(row) === undefined)
      throw wrong(`row ${index} of '${name}' is no object with an id`);
  const areEtags = isData(etags) && Object.values(etags).every((note) => typeof Object(note).etag === 'string');
  if (!areEtags || !areTexts(incomplete)) throw wrong(`the ETags of '${name}', or its incomplete rows, are not listed`);
}

function checkQuery(query: unknown, models: object): void {
  const { model, key, ids, paging } = Object(query) as Record<string, unknown>;
  const { currentPage, nextStart, complete, total, next, pageWithoutLimit } = Object(paging) as Record<string, unknown>;
  const isKnown = typeof model === 'string' && Object.hasOwn(models, model);
  const isPaging =
    [currentPage, nextStart, total ?? 0, pageWithoutLimit ?? 1].every(isCount) &&
    typeof complete === 'boolean' &&
    (next === undefined || isData(next));
  // A list without rows has no rows of its model.
  const isListed = isKnown || (typeof model === 'string' && Array.isArray(ids) && ids.length === 0);
  if (!isListed || typeof key !== 'string' || !areTexts(ids) || !isPaging)
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

function refusal(reason: keyof typeof renderingMessages, params: MessageParams, cause?: unknown): ReadError {
  return new ReadError(reason, params, { messages: renderingMessages, cause });
}
