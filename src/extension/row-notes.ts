/** Leads from a row to what extensions noted of it. Not enumerable, so that it is in no JSON, copy or comparison of the row. */
const NOTES: unique symbol = Symbol('notes');

/** What extensions noted of a row. */
export interface RowNotes {
  /** JSON values by the names of the extensions. */
  readonly values: NoteValues;
  /** Whether the row is no longer as it was when they were noted: values were written into it, or another answer was merged into it. */
  readonly changed: boolean;
}

/** Notes by the names of the extensions. */
export type NoteValues = Readonly<Record<string, unknown>>;

interface NotedRow {
  [NOTES]?: RowNotes;
}

/**
 * The note that an extension made of a row; undefined: none. The core keeps a note while the row, or an equal row that was read
 * later, is the base of a record. A write replaces it by the note of its answer.
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
 * Notes something of a row, under the name of the extension: a JSON value, which an outbox may store; undefined removes it. What is
 * noted of the `ResultSet` of a write holds for the record where the answer has no row. Throws `TypeError` for a frozen row.
 */
export function setNote(row: object, name: string, note: unknown): void {
  const { values = {}, changed = false } = notesOf(row) ?? {};
  const others = Object.entries(values).filter(([each]) => each !== name);
  define(row, { values: Object.fromEntries(note === undefined ? others : [...others, [name, note]]), changed });
}

/**
 * Whether a row is as the server sent it. False for the base of a record whose last write was answered without the whole row, and
 * for a row with notes into which edits were committed, or another answer was merged. A version that stands in such a row may be outdated.
 */
export function isAsReceived(row: object): boolean {
  return !notesOf(row)?.changed;
}

/** Everything that was noted of a row; undefined: nothing. */
export function notesOf(row: object): RowNotes | undefined {
  return (row as NotedRow)[NOTES];
}

/** Replaces everything that was noted of a row. An application may have frozen the row: nothing can be noted of it then. */
export function setNotes(row: object, notes: RowNotes | undefined): void {
  if ((notesOf(row) ?? notes) && Object.isExtensible(row)) define(row, notes);
}

/** The notes for a row that differs from the one that they were made of. */
export function changedNotes(notes: Pick<RowNotes, 'values'> | undefined): RowNotes {
  return { values: notes?.values ?? {}, changed: true };
}

/** Gives a row the notes of the row that it was made of. */
export function inheritNotes(row: object, source: object): void {
  const notes = notesOf(source);
  setNotes(row, notes && changedNotes(notes));
}

/** The notes by name, for JSON; undefined: there are none. */
export function noteValues(row: object): NoteValues | undefined {
  const { values = {} } = notesOf(row) ?? {};
  return Object.keys(values).length > 0 ? values : undefined;
}

/**
 * The notes for a row that was read, in the place of the row that was known. Those of the new row count; others still hold where the
 * two rows are equal.
 */
export function notesAfterRead(known: object, row: object, isSame: boolean): RowNotes | undefined {
  const now = notesOf(row);
  const before = isSame ? notesOf(known) : undefined;
  if (!before) return now;
  const older = Object.entries(before.values).filter(([name]) => noteOf(row, name) === undefined);
  if (older.length === 0) return now;
  const changed = before.changed || (now?.changed ?? false);
  return { values: { ...Object.fromEntries(older), ...now?.values }, changed };
}

/** The notes for a row into which a part was merged that was read later. They still guard what else may have changed. */
export function notesAfterPart(known: object, part: object, isSame: boolean): RowNotes | undefined {
  const [before, now] = [notesOf(known), notesOf(part)];
  if (now) return changedNotes({ ...now, values: { ...before?.values, ...now.values } });
  if (isSame) return before;
  // Without notes the row speaks for itself again: the part may hold its version.
  return noteValues(known) && changedNotes(before);
}

function define(row: object, value: RowNotes | undefined): void {
  Object.defineProperty(row, NOTES, { value, configurable: true, writable: true });
}
