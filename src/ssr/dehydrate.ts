import { notesOf } from '../extension/row-notes.js';
import type { BaseModel } from '../model/base-model.js';
import { inner } from '../model/record.js';
import { CORE, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import type { Session } from '../sync/session.js';
import type { SharedRecords } from '../sync/shared-records.js';
import { stringifyJson } from '../util/stringify-json.js';
import { keyOf, type RenderedStore } from './rendered-store.js';
import type { RenderedEtag, RenderedQuery, RenderedState } from './state.js';

interface OpenModel {
  readonly rows: object[];
  readonly etags: [id: string, etag: RenderedEtag][];
  readonly incomplete: string[];
}

/**
 * The data of a session, for the page that is rendered from it: the rows of its records as the server sent them, their ETags, and what
 * each of its stores showed. Edits and new records are left out. Make the text for the page with {@link stringify}.
 *
 * `records` are records that `session.load()` has read, and that must be in the page: a session holds records of no store weakly, so
 * that one that nobody uses any more may be gone.
 *
 * @example
 * ```ts
 * import { dehydrate, stringify } from 'repose/ssr';
 *
 * const session = new Session();
 * const tasks = new Store({ model: Task, session });
 * await tasks.load();
 * const script = `<script type="application/json" id="state">${stringify(dehydrate(session))}</script>`;
 * ```
 */
export function dehydrate(session: Session, records: readonly BaseModel[] = []): RenderedState {
  const shared = (session as unknown as { readonly records: SharedRecords }).records;
  const models = new Map<string, OpenModel>();
  for (const record of new Set([...shared.all(), ...records])) addRecord(models, record);
  return {
    v: 1,
    at: Date.now(),
    models: Object.fromEntries(
      [...models].map(([name, { rows, etags, incomplete }]) => {
        return [name, { rows, etags: Object.fromEntries(etags), incomplete }];
      }),
    ),
    queries: shared.stores.flatMap((store) => queryOf(store as RenderedStore) ?? []),
  };
}

/**
 * The text of a state, to put into a page: JSON with every digit of long numbers, which neither ends a `<script>` nor opens a comment in
 * it.
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

function addRecord(models: Map<string, OpenModel>, record: BaseModel): void {
  const { [ROW]: row, [CORE]: core, [MODEL]: definition } = inner(record);
  const id = definition.rowId(row);
  if (core?.phantom || core?.erased || id === undefined) return;
  let model = models.get(definition.name);
  if (!model) models.set(definition.name, (model = { rows: [], etags: [], incomplete: [] }));
  model.rows.push(row);
  if (core?.incomplete) model.incomplete.push(String(id));
  const notes = notesOf(row);
  const note = notes?.values['etags'] as RenderedEtag | undefined;
  if (note) model.etags.push([String(id), { ...note, ...(notes?.changed && { changed: true }) }]);
}

/** The list that a store shows; undefined: it has not loaded, or not what it would load now. */
function queryOf(store: RenderedStore): RenderedQuery | undefined {
  const { loaded, lastLoad, paging, definition, recordSet } = store;
  const key = loaded && lastLoad && !paging.restarted ? keyOf(lastLoad, store.proxy) : undefined;
  if (key === undefined) return undefined;
  const ids = recordSet.inPlace().flatMap((record) => {
    const id = record.phantom ? undefined : definition.rowId(inner(record)[ROW]);
    return id === undefined ? [] : String(id);
  });
  return { model: definition.name, key, ids, paging: paging.saved };
}
