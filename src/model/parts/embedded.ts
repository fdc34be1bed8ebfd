import { DefinitionError } from '../../errors/mistakes.js';
import type { Issue } from '../../errors/validation-error.js';
import { MODEL } from '../../operation/operation-record.js';
import { type Data, type DataPath, getMember, isData } from '../../util/data-path.js';
import { pairLines } from '../../util/merge3.js';
import { rounded } from '../../util/rounded.js';
import { isPlainObject, isSame } from '../../util/values.js';
import type { FieldConfig } from '../field.js';
import type { FieldDefinition } from '../field-definition.js';
import { anything, type FieldTypeHandler } from '../field-types.js';
import type { Model } from '../model.js';
import type { ModelDefinition } from '../model-definition.js';
import {
  baseValue,
  cachedValue,
  cacheValue,
  coreOf,
  exactBase,
  type InnerRecord,
  inner,
  isConfirmed,
  isInner,
  rebase,
  reportSet,
  type SentValues,
  setPath,
} from '../record.js';
import { type Edits, whenEdited, whenTaken } from '../record-core.js';
import { addOwner, didChange, type RecordOwner, willChange } from '../record-owner.js';
import { CORE, DEFINITION, ROW } from '../symbols.js';
import { findIssues, serverIssues } from '../validate.js';
import type { WaitingHooks } from '../waiting-changes.js';
import { rowShape } from './field-shape.js';
import {
  type FieldMerge,
  isOther,
  type MergedField,
  mergeField,
  rebaseList,
  rowNow,
  type SentList,
  type Sides,
  seenByUser,
  seenValue,
} from './merge-lists.js';
import { waitingLines } from './waiting-lines.js';

/** How a field handles embedded records inside the record that holds them, the holder. */
export interface Embedding {
  /** The embedded model. */
  readonly model: ModelDefinition;
  /** The fields of the embedded model. */
  readonly fields: readonly FieldDefinition[];
  /**
   * Makes records from received rows, and from values that the application sets; writes records as rows. A received value that
   * is not a row stays as it is.
   */
  readonly type: FieldTypeHandler;
  /** Makes the records in a value tell their holder about their edits. */
  adopt(holder: InnerRecord, field: FieldDefinition, value: unknown): void;
  /** Finds what is wrong in the records of a value, as {@link findIssues} does. */
  findIssues(value: unknown, newOnly: boolean): Issue[];
  /** Drops the edits of the records in a value, and of the records that this value has replaced. */
  reject(holder: InnerRecord, value: unknown): void;
  /**
   * Takes the records of a value back to the rows that they had when the value was written. Returns false, and changes nothing, if these are
   * not the rows of its records.
   */
  rejectTo(value: unknown, written: unknown): boolean;
  /** Whether a record in a value has edits. */
  isDirty(value: unknown): boolean;
  /** Sets a member of a record in a value; returns false if the path does not lead into a record. */
  setInside(value: unknown, path: DataPath, member: unknown): boolean;
  /**
   * Called before the holder gets a new row. Returns a function to call when the holder has the new row: it gives the same record
   * objects their part of that row. Returns undefined if there are no records.
   */
  prepareRebase(holder: InnerRecord, field: FieldDefinition): ((sent?: SentValues) => void) | undefined;
  /** Merges a value that a write has edited with that of the server. */
  merge(field: FieldDefinition, sides: FieldMerge): MergedField;
  /** The value that the server has now, with what the user has seen in the members and lines over which a write would go; see `seenValue`. */
  seen(field: FieldDefinition, sides: Sides): unknown;
  /** Notes what was seen of an edited field whose value in the row before was `was`. Returns whether the row has more now than the user has seen. */
  noteNewer(holder: InnerRecord, field: FieldDefinition, was: unknown): boolean;
  /** Puts the embedded records in changes that wait on another row. */
  readonly waiting: WaitingHooks;
}

type ModelLike = (new (
  values?: object,
) => Model) & {
  fromRow(row: object): Model;
  readonly [DEFINITION]?: ModelDefinition;
};

/**
 * Makes the embedding of a declared type; undefined if the type is neither a model nor a list with one. Throws `DefinitionError`.
 */
export function embeddingOf(type: unknown, name: string, { defaultValue }: FieldConfig): Embedding | undefined {
  const list = Array.isArray(type);
  const model = (list ? (type as unknown[])[0] : type) as ModelLike;
  if (typeof model !== 'function' || !model[DEFINITION]) return undefined;
  const isRecord = (value: unknown): value is Model => value instanceof model;
  const readOne = (raw: unknown) => (isData(raw) && !isRecord(raw) ? model.fromRow(raw) : rounded(raw));
  const makeOne = (values: unknown) => (isPlainObject(values) ? new model(values) : values);
  const writeOne = (value: unknown) => (isRecord(value) ? rowNow(inner(value)) : value);
  const recordsIn = (value: unknown) => [value].flat().filter(isRecord).map(inner);
  if (recordsIn(defaultValue).length > 0) throw new DefinitionError('field-default', { field: name });
  return {
    // Getters, because a model may embed itself, and then has no definition yet.
    get model() {
      return model[DEFINITION] as ModelDefinition;
    },
    get fields() {
      return model[DEFINITION]?.fields ?? [];
    },
    type: {
      ...anything,
      is: (value) => ![value].flat().some(isPlainObject),
      read: (values) => (list && Array.isArray(values) ? values.map(makeOne) : makeOne(values)),
      parse: (raw) => ({ value: list && Array.isArray(raw) ? Object.freeze(raw.map(readOne)) : readOne(raw) }),
      write: (value) => (Array.isArray(value) ? value.map(writeOne) : writeOne(value)),
    },
    findIssues: (value, newOnly) =>
      [value].flat().flatMap((each, i) => {
        const issues = isRecord(each) ? findIssues(inner(each), newOnly) : [];
        const at = [name, ...(list ? [i] : [])];
        return issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] }));
      }),
    reject(holder, value) {
      const cached = cachedValue(holder, holder[MODEL].field(name) as FieldDefinition);
      for (const each of [...recordsIn(value), ...recordsIn(cached)]) each.reject();
    },
    rejectTo(value, written) {
      const [all, rows] = [[value].flat(), [written].flat()];
      if (all.length !== rows.length || !all.every((each, at) => isRecord(each) && isData(rows[at]))) return false;
      for (const [at, each] of all.entries()) rejectInside(inner(each as Model), rows[at] as Data);
      return true;
    },
    isDirty: (value) => recordsIn(value).some((each) => each.dirty),
    setInside(value, path, member) {
      const [at = '', ...rest] = path;
      const [inside, members] = list ? [getMember(value, at), rest] : [value, path];
      if (members.length === 0 || !isRecord(inside)) return false;
      setPath(inner(inside), members, member);
      return true;
    },
    adopt(holder, field, value) {
      const baseOrEdit = () => {
        const edits = holder[CORE]?.edits;
        return edits?.has(field) ? edits.get(field) : baseValue(holder, field);
      };
      const owner: RecordOwner = {
        recordChanged: (record, { kind, same, fields = [], paths = fields.map((each) => [each]) }) => {
          const core = coreOf(holder);
          // An embedded record that was replaced meanwhile no longer belongs to the holder.
          if (baseOrEdit() !== value || same) return;
          // A row that the embedded record has read or saved by itself is not an edit of the holder.
          if (kind !== 'set' && kind !== 'reject') return didChange(holder, { kind: 'set', fields: field.names });
          core.edit(field, isConfirmed(holder, field, value) ? undefined : { value });
          const at = list ? [name, [value].flat().indexOf(record)] : [name];
          reportSet(
            holder,
            [field],
            paths.map((path) => [...at, ...path]),
          );
        },
        issuesOf(record) {
          const [at, ...rows] = [baseOrEdit(), ...[value].flat()];
          const index = at === value ? rows.indexOf(record) : -1;
          const depth = list ? 2 : 1;
          return serverIssues(holder)
            .filter(({ path }) => index >= 0 && path[0] === name && (!list || String(path[1]) === String(index)))
            .filter(({ path }) => path.length > depth)
            .map((issue) => ({ ...issue, path: issue.path.slice(depth) }));
        },
        // Stores must be told before the change, while they can still find the holder by its old values.
        recordChanging: () => willChange(holder, field.names),
      };
      for (const each of recordsIn(value)) addOwner(each, owner);
    },
    waiting: waitingLines,
    seen: (field, sides) => seenValue(sides, field),
    noteNewer(holder, field, was) {
      const core = coreOf(holder);
      const seen = seenByUser(holder, field, core.newer?.get(field) ?? was);
      const isUnseen = seen !== field.raw(holder[ROW]);
      if (isUnseen) (core.newer ??= new Map()).set(field, seen);
      else core.newer?.delete(field);
      return isUnseen;
    },
    merge: mergeField,
    prepareRebase(holder, field) {
      const cached = cachedValue(holder, field);
      const edits = holder[CORE]?.edits;
      // The edit may be null: the application has removed the embedded record.
      const value = edits?.has(field) ? edits.get(field) : cached;
      const isEmpty = recordsIn(value).length === 0 && recordsIn(cached).length === 0;
      // The row may have lines that an update without an answer has sent, and that were removed since.
      if (isEmpty && !holder[CORE]?.unconfirmedFields?.has(field)) return undefined;
      const rowsBefore = field.raw(holder[ROW]);
      return (sent) => {
        const isSent = sent?.written.has(field) ?? false;
        // The value that the server had, or was sent, and its rows.
        const knownRows = isSent ? sent?.written.get(field) : rowsBefore;
        const known = isSent ? valueSent(holder, field, value, sent as SentValues) : cached;
        const settle = (record: InnerRecord, row: Data, knownRow: unknown) =>
          settleInside(record, row, isSent ? knownRow : undefined, sent?.liveRows);
        const row = field.raw(holder[ROW]);
        if (list && Array.isArray(value) && Array.isArray(row)) {
          const stored = storedLists(holder, field, sent === undefined, value);
          const lists = { value, known: toArray(known), knownRows: toArray(knownRows), rows: row, stored };
          const rebased = rebaseList(lists, model[DEFINITION] as ModelDefinition, readOne, settle);
          for (const each of new Set([rebased.base, rebased.list]))
            if (each !== value && each !== cached) this.adopt(holder, field, each);
          settleValue(holder, field, rebased.base, rebased.list);
        } else if (isRecord(value) && [cached, known].includes(value) && fits(inner(value), row)) {
          // A value that has replaced the received one takes its row only from the response to a write that sent this value.
          settle(inner(value), row as Data, knownRows);
          settleValue(holder, field, value, value);
        }
      };
    },
  };

  /** Sets the value of the server, and that of the application, which is an edit if the two differ. */
  function settleValue(holder: InnerRecord, field: FieldDefinition, base: unknown, value: unknown): void {
    // Cached, because the application may hold these record objects.
    if (recordsIn(base).length > 0) cacheValue(holder, field, base);
    const core = coreOf(holder);
    const isEdited = value !== base || recordsIn(value).some((each) => each.dirty);
    // A change that waits, or is in flight, has the list already.
    const isHeld = !core.typed.has(field) && core.below(field)?.live.get(field) === value;
    if (!isEdited && isConfirmed(holder, field, value)) core.edit(field, undefined);
    else if (isEdited ? !isHeld : core.typed.has(field)) core.edit(field, { value });
  }
}

/**
 * Gives an embedded record its part of the new row. Edits that were made after its holder was sent stay, also those that set a
 * field back to its earlier value. `liveRows`: embedded records as they were when their holder was sent.
 */
function settleInside(record: InnerRecord, row: Data, sentRow: unknown, liveRows: SentValues['liveRows']): void {
  const whenSent = liveRows?.get(record);
  const { fields } = record[MODEL];
  const core = coreOf(record);
  const remaining: Edits = new Map();
  const sent: Edits = new Map();
  const live: Edits = new Map();
  for (const field of fields) {
    const edited = core.edits?.has(field);
    const value = edited ? core.edits?.get(field) : exactBase(record, field);
    const written = edited ? field.write(value, record[ROW]) : field.raw(record[ROW]);
    const sentValue = isData(sentRow) ? field.raw(sentRow) : field.raw(record[ROW]);
    if (field.embedding) {
      if (isData(sentRow)) {
        sent.set(field, sentValue);
        live.set(field, liveInside(record, field, value, sentValue, whenSent?.inside.get(field)));
      }
      if (edited) remaining.set(field, value);
      continue;
    }
    // A value that differs from the sent one was set back, unless it came with a row that was read meanwhile.
    const isRead = !edited && whenSent !== undefined && !isSame(field.raw(whenSent.row), field.raw(record[ROW]));
    if (field.writable && !isRead && !isSame(written, sentValue) && !isSame(written, field.raw(row)))
      remaining.set(field, value);
  }
  core.edits = remaining;
  Object.assign(core, whenTaken(core));
  rebase(record, row, { written: sent, live, liveRows });
}

/**
 * The records of a value inside an embedded record as its holder was sent with it. `saved`: those that it had when its holder was saved. A save that
 * waits gets lines of the server, and may have been read from a storage: then they are found as the lines of any list.
 */
function liveInside(
  record: InnerRecord,
  field: FieldDefinition,
  value: unknown,
  sent: unknown,
  saved: unknown,
): unknown {
  if (!Array.isArray(sent)) return saved ?? value;
  const lists = [saved, cachedValue(record, field), value].map(toArray);
  const isMadeOf = (list: readonly unknown[]) =>
    list.length === sent.length && list.every((each, at) => isInner(each) && fits(each, sent[at]));
  const list = lists.find(isMadeOf);
  if (list) return list;
  const records = [...new Set(lists.flat())].filter(isInner);
  const rows = records.map(rowNow);
  const shape = rowShape((field.embedding as Embedding).model, false, [rows, records]);
  const pairs = pairLines(rows, sent, shape, true);
  return sent.map((_, at) => records[pairs.get(at) ?? -1]);
}

/** Takes an embedded record back to the row with which its holder was sent: what was edited since is dropped. */
function rejectInside(record: InnerRecord, sentRow: Data): void {
  const { fields, idField } = record[MODEL];
  const core = coreOf(record);
  const edits: Edits = new Map();
  for (const field of fields) {
    const sentValue = field.raw(sentRow);
    if (!field.writable || !field.persist || (field === idField && sentValue === undefined)) continue;
    const value = core.edits?.has(field) ? core.edits.get(field) : exactBase(record, field);
    // A single record stays; a list may have other lines by now.
    const isKept = !Array.isArray(value) && field.embedding?.rejectTo(value, sentValue);
    if (isSame(sentValue, field.raw(record[ROW]))) continue;
    const isPresent = isKept || isSame(field.write(value, record[ROW]), sentValue);
    const edit = isPresent ? value : field.readExact(sentValue);
    if (!isPresent) field.embedding?.adopt(record, field, edit);
    edits.set(field, edit);
  }
  const changed = [...new Set([...(core.edits?.keys() ?? []), ...edits.keys()])].map(({ name }) => name);
  willChange(record, changed);
  core.edits = edits;
  Object.assign(core, whenEdited(core));
  didChange(record, { kind: 'reject', fields: changed });
}

/**
 * The lists that the server may have stored, the newest first: that of the write in flight, unless it is its response that gives the new row, and
 * those of updates that got no clear response.
 */
function storedLists(
  holder: InnerRecord,
  field: FieldDefinition,
  isRead: boolean,
  present: readonly unknown[],
): readonly SentList[] {
  const { change, unconfirmedFields } = holder[CORE] ?? {};
  const unconfirmed = unconfirmedFields?.get(field);
  const inFlight = isRead && change?.written.has(field) ? [change] : [];
  const lists = [...inFlight, ...(unconfirmed?.sent ?? [])].map(({ live, written, liveRows }) => ({
    known: toArray(live.get(field)),
    knownRows: toArray(written.get(field)),
    settle: (record: InnerRecord, row: Data, sentRow: unknown) => settleInside(record, row, sentRow, liveRows),
  }));
  if (!unconfirmed) return lists;
  // An update of an earlier process, or of another record, may have sent the present lines.
  const knownRows = present.map((each) => (isInner(each) ? rowNow(each) : each));
  const settle = (record: InnerRecord, row: Data, sentRow: unknown) => settleInside(record, row, sentRow, undefined);
  return [...lists, { known: present, knownRows, settle }];
}

/** The value of a field that a write has sent. A value that is equal to it has taken its place. */
function valueSent(
  { [ROW]: row }: InnerRecord,
  field: FieldDefinition,
  value: unknown,
  { written, live }: SentValues,
): unknown {
  return isSame(field.write(value, row), written.get(field)) ? value : live.get(field);
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a value of the server can be the row of a record. */
function fits(record: InnerRecord, row: unknown): boolean {
  return isData(row) && !isOther(record, row);
}
