/** The member of a row that holds its notes. It is not enumerable, so no JSON, copy or comparison of the row includes it. */
const NOTES: unique symbol = Symbol('notes');

/** The notes of all extensions about a row. */
export interface RowNotes {
  /** JSON values by the names of the extensions. */
  readonly values: NoteValues;
  /** Whether the row has changed since: a write put values into it, or another response was merged into it. */
  readonly changed: boolean;
}

/** Notes by the names of the extensions. */
export type NoteValues = Readonly<Record<string, unknown>>;

interface NotedRow {
  [NOTES]?: RowNotes;
}

/**
 * The note that an extension made about a row, such as the row's ETag; undefined: none. The core keeps a note while the row, or an
 * equal row that was read later, is the base of a record. After a write, the note made about its response replaces the old one.
 *
 * @example
 * ```ts
 * const versions: Extension = {
 *   name: 'versions',
 *   layer: LAYERS.etags + 1,
 *   prepare(request) {
 *     const [record] = request.operation.records;
 *     const version = record && noteOf(rowOf(record), 'versions');
 *     if (version) request.headers = { ...request.headers, 'X-Version': String(version) };
 *   },
 *   answered({ response }, { rows: [row] }) {
 *     const version = response?.headers.get('X-Version');
 *     if (version && row) setNote(row as object, 'versions', version);
 *   },
 * };
 * ```
 */
export function noteOf(row: object, name: string): unknown {
  const values = notesOf(row)?.values;
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}

/**
 * Makes a note about a row, under the name of the extension: a JSON value, which an outbox may store; undefined removes the note.
 * If the response to a write has no row, make the note about its `ResultSet`: the record takes the note over. Throws `TypeError` for a
 * frozen row.
 *
 * @example
 * ```ts
 * const revisions: Extension = {
 *   name: 'revisions',
 *   layer: LAYERS.etags + 1,
 *   answered({ response }, { rows: [row] }) {
 *     const revision = response?.headers.get('X-Revision');
 *     if (revision && row) setNote(row as object, 'revisions', revision);
 *   },
 * };
 * ```
 */
export function setNote(row: object, name: string, note: unknown): void {
  const { values = {}, changed = false } = notesOf(row) ?? {};
  const others = Object.entries(values).filter(([each]) => each !== name);
  defineNotes(row, { values: Object.fromEntries(note === undefined ? others : [...others, [name, note]]), changed });
}

/**
 * Whether a row is exactly as the server sent it. False if the last write of the record was answered without the whole row. Also
 * false for a row with notes if edits were committed into it or another response was merged into it. A version number inside a row that
 * is not as received may be outdated.
 *
 * @example
 * ```ts
 * const versioned: Extension = {
 *   name: 'versioned',
 *   layer: LAYERS.etags + 1,
 *   prepare(request) {
 *     const [record] = request.operation.records;
 *     const row = record && rowOf(record);
 *     if (row && isAsReceived(row)) request.headers = { ...request.headers, 'If-Version': String(row['version']) };
 *   },
 * };
 * ```
 */
export function isAsReceived(row: object): boolean {
  return !notesOf(row)?.changed;
}

/** All notes about a row; undefined: none. */
export function notesOf(row: object): RowNotes | undefined {
  return (row as NotedRow)[NOTES];
}

/** Replaces all notes about a row. Does nothing for a row that the application has frozen. */
export function setNotes(row: object, notes: RowNotes | undefined): void {
  // Read without a call, because a list calls this for each of its rows, most of which have no notes.
  if (((row as NotedRow)[NOTES] ?? notes) && Object.isExtensible(row)) defineNotes(row, notes);
}

/** Notes for a row that differs from the row they were made about. */
export function changedNotes(notes: Pick<RowNotes, 'values'> | undefined): RowNotes {
  return { values: notes?.values ?? {}, changed: true };
}

/** Copies the notes of a source row to the changed row that was made from it. */
export function inheritNotes(row: object, source: object): void {
  const notes = notesOf(source);
  setNotes(row, notes && changedNotes(notes));
}

/** The notes by the names of the extensions, to store as JSON; undefined: none. */
export function noteValues(row: object): NoteValues | undefined {
  const { values = {} } = notesOf(row) ?? {};
  return Object.keys(values).length > 0 ? values : undefined;
}

/**
 * The notes for a row that was read and replaces a known row. Notes about the new row win; the other notes of the known row are kept
 * only if both rows are equal.
 */
export function notesAfterRead(previousRow: object, row: object, isSame: boolean): RowNotes | undefined {
  const { [NOTES]: newNotes } = row as NotedRow;
  const oldNotes = isSame ? (previousRow as NotedRow)[NOTES] : undefined;
  if (!oldNotes) return newNotes;
  const keptValues = Object.entries(oldNotes.values).filter(([name]) => noteOf(row, name) === undefined);
  if (keptValues.length === 0) return newNotes;
  const changed = oldNotes.changed || (newNotes?.changed ?? false);
  return { values: { ...Object.fromEntries(keptValues), ...newNotes?.values }, changed };
}

/**
 * The notes for a known row into which a part that was read later was merged. Older notes are kept, since an old ETag still detects
 * changes to members that the part lacks.
 */
export function notesAfterPart(previousRow: object, part: object, isSame: boolean): RowNotes | undefined {
  const [oldNotes, newNotes] = [notesOf(previousRow), notesOf(part)];
  if (newNotes) return changedNotes({ ...newNotes, values: { ...oldNotes?.values, ...newNotes.values } });
  if (isSame) return oldNotes;
  // A row without notes needs no mark: the merged part may hold the row's newest version.
  return noteValues(previousRow) && changedNotes(oldNotes);
}

function defineNotes(row: object, value: RowNotes | undefined): void {
  Object.defineProperty(row, NOTES, { value, configurable: true, writable: true });
}
