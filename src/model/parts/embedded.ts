import { DefinitionError } from '../../errors/definition-error.js';
import type { Issue } from '../../errors/issue.js';
import { MODEL } from '../../operation/operation-record.js';
import { type Data, type DataPath, getMember, isData } from '../../util/data-path.js';
import { rounded } from '../../util/rounded.js';
import { isPlainObject, isSame } from '../../util/values.js';
import { JsonWriter } from '../../writer/json-writer.js';
import type { BaseModel } from '../base-model.js';
import type { FieldConfig } from '../field.js';
import type { FieldDefinition } from '../field-definition.js';
import { anything, type FieldTypeHandler } from '../field-types.js';
import type { ModelDefinition } from '../model-definition.js';
import type { ModelPart } from '../model-part.js';
import {
  announce,
  baseValue,
  cachedValue,
  cacheValue,
  coreOf,
  exactBase,
  type InnerRecord,
  inner,
  isConfirmed,
  rebase,
  setPath,
} from '../record.js';
import type { Edits } from '../record-core.js';
import { addOwner, didChange, type RecordOwner, willChange } from '../record-owner.js';
import { CORE, DEFINITION, ROW } from '../symbols.js';
import { findIssues } from '../validate.js';

/** Models, and lists of one model, as field types: `address: Address`, `lines: [Line]`. */
export const embedded: ModelPart = { name: 'embedded', embed };

/** How values of embedded models live inside the record that holds them. */
export interface Embedding {
  /** The fields of the models inside. */
  readonly fields: readonly FieldDefinition[];
  /** Reads records from what was received, what is no row as it came; makes them from values that users gave; writes rows. */
  readonly type: FieldTypeHandler;
  /** Makes the records in a value tell their holder of edits inside. `sent` is on its way without it. */
  adopt(holder: InnerRecord, field: FieldDefinition, value: unknown, sent?: Edits): void;
  /** What is wrong inside a value, as with {@link findIssues}. */
  findIssues(value: unknown, written: boolean): Issue[];
  /** Drops the edits inside a value, and inside the one that it took the place of. */
  reject(holder: InnerRecord, value: unknown): void;
  /** Whether there are edits inside. */
  isDirty(value: unknown): boolean;
  /** Sets a member of a record inside; false where the path leads into none. */
  setInside(value: unknown, path: DataPath, member: unknown): boolean;
  /** Keeps the records that have been handed out for when their holder gets another row. */
  hold(holder: InnerRecord, field: FieldDefinition): ((sent: Edits) => void) | undefined;
}

type ModelLike = (new (
  values?: object,
) => BaseModel) & {
  fromRow(row: object): BaseModel;
  readonly [DEFINITION]?: ModelDefinition;
};

/** The embedding that a declared type asks for: a model, or a list of one. Throws `DefinitionError`. */
function embed(type: unknown, name: string, { defaultValue }: FieldConfig): Embedding | undefined {
  const list = Array.isArray(type);
  const model = (list ? (type as unknown[])[0] : type) as ModelLike;
  if (typeof model !== 'function' || !model[DEFINITION]) return undefined;
  const isRecord = (value: unknown): value is BaseModel => value instanceof model;
  const readOne = (raw: unknown) => (isData(raw) && !isRecord(raw) ? model.fromRow(raw) : rounded(raw));
  const makeOne = (values: unknown) => (isPlainObject(values) ? new model(values) : values);
  const writeOne = (value: unknown) => (isRecord(value) ? new JsonWriter().wholeRow(inner(value)) : value);
  const recordsIn = (value: unknown) => [value].flat().filter(isRecord) as unknown as (InnerRecord & BaseModel)[];
  // What was on its way when values were given: they are no part of it.
  const missed = new WeakMap<object, Edits | undefined>();
  if (recordsIn(defaultValue).length > 0) throw new DefinitionError('field-default', { field: name });
  return {
    // Asked when it is needed: a model may hold itself.
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
    findIssues: (value, written) =>
      [value].flat().flatMap((each, i) => {
        const issues = isRecord(each) ? findIssues(inner(each), written) : [];
        const at = [name, ...(list ? [i] : [])];
        return issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] }));
      }),
    reject(holder, value) {
      const kept = cachedValue(holder, holder[MODEL].field(name) as FieldDefinition);
      for (const each of [...recordsIn(value), ...recordsIn(kept)]) each.reject();
    },
    isDirty: (value) => recordsIn(value).some((each) => each.dirty),
    setInside(value, path, member) {
      const [at = '', ...rest] = path;
      const [inside, members] = list ? [getMember(value, at), rest] : [value, path];
      if (members.length === 0 || !isRecord(inside)) return false;
      setPath(inside as never, members, member);
      return true;
    },
    adopt(holder, field, value, sent) {
      const owner: RecordOwner = {
        recordChanged: (_record, { kind, same }) => {
          const core = coreOf(holder);
          const held = core.edits?.has(field) ? core.edits.get(field) : baseValue(holder, field);
          // A record that was replaced meanwhile has nothing to say any more.
          if (held !== value || same) return;
          // What it read or wrote by itself is no edit.
          if (kind !== 'set' && kind !== 'reject') return didChange(holder, { kind: 'set', fields: field.names });
          core.edits ??= new Map();
          if (isConfirmed(holder, field, value)) core.edits.delete(field);
          else core.edits.set(field, value);
          announce(holder, [field]);
        },
        // While the holder still stands where its values want it.
        recordChanging: () => willChange(holder, field.names),
      };
      for (const each of recordsIn(value)) {
        addOwner(each, owner);
        missed.set(value as object, sent);
      }
    },
    hold(holder, field) {
      const kept = cachedValue(holder, field);
      const edits = holder[CORE]?.edits;
      // One that was taken away, and is null, is an edit like any other.
      const value = edits?.has(field) ? edits.get(field) : kept;
      const records = recordsIn(value);
      if (records.length === 0) return undefined;
      return (sent) => {
        // What took the place of what was received has nothing of it: only its own answer is about it.
        if (value !== kept && (!sent.has(field) || missed.get(value as object) === sent)) return;
        const rows = [field.raw(holder[ROW])].flat();
        const fits = (each: InnerRecord, row: unknown) => isData(row) && isSameRecord(each, row);
        if (rows.length !== records.length || !records.every((each, i) => fits(each, rows[i]))) return;
        const sentRows = [sent.get(field)].flat();
        for (const [i, each] of records.entries()) settleInside(each, rows[i] as Data, sentRows[i]);
        // They stay the same objects, on their part of the new row.
        cacheValue(holder, field, value);
        const core = coreOf(holder);
        if (records.some((each) => each.dirty)) (core.edits ??= new Map()).set(field, value);
        else if (isConfirmed(holder, field, value)) core.edits?.delete(field);
      };
    },
  };
}

/** Whether a row is that of a record, as far as ids tell. */
function isSameRecord(record: InnerRecord, row: Data): boolean {
  const model = record[MODEL];
  const [known, id] = [model.rowId(record[ROW]), model.rowId(row)];
  return known === undefined || id === undefined || String(known) === String(id);
}

/** Gives an embedded record its new row. What it was edited to since its holder was sent stays: also to what it was before. */
function settleInside(record: InnerRecord, row: Data, sentRow: unknown): void {
  const { fields } = record[MODEL];
  const core = coreOf(record);
  const kept: Edits = new Map();
  const sent: Edits = new Map();
  for (const field of fields) {
    const edited = core.edits?.has(field);
    const value = edited ? core.edits?.get(field) : exactBase(record, field);
    const written = edited ? field.write(value, record[ROW]) : field.raw(record[ROW]);
    const told = isData(sentRow) ? field.raw(sentRow) : field.raw(record[ROW]);
    if (field.embedding) {
      sent.set(field, told);
      if (edited) kept.set(field, value);
    } else if (field.writable && !isSame(written, told) && !isSame(written, field.raw(row))) kept.set(field, value);
  }
  core.edits = kept;
  core.phantom = false;
  rebase(record, row, sent);
}
