import {
  ConflictError,
  type ConflictResolver,
  type FieldConflict,
  type MergeDecision,
} from '../errors/conflict-error.js';
import { StateError } from '../errors/mistakes.js';
import { responseOf } from '../http/http-response.js';
import type { FieldDefinition } from '../model/field-definition.js';
import { currentValue, type InnerRecord, reject, setValues, withWritten, writeEdits } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';
import { CORE, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import type { Data } from '../util/data-path.js';
import { isSame, sealed } from '../util/values.js';

/** The parts of a conflict that was found before anything was sent. */
export interface UnsentConflict {
  /** Has the row of the server, and the values of the library as edits. */
  readonly record: InnerRecord;
  /** The values that the library may have shown before, of the fields that others have changed. */
  readonly before: Readonly<Data>;
  /** Saves the record. */
  readonly save: () => Promise<unknown>;
}

/** The error of an update that would write over what the user may not have seen. */
export function unsentConflict({ record, before, save }: UnsentConflict): ConflictError {
  const edits = record[CORE]?.edits ?? new Map<FieldDefinition, unknown>();
  const theirs = record[ROW];
  const known = new Map(
    [...edits.keys()].filter(({ name }) => Object.hasOwn(before, name)).map((field) => [field, before[field.name]]),
  );
  const error = new ConflictError('conflict-unsent', modelAndId(record), {
    base: withWritten(theirs, writeEdits(record, known, theirs, true)),
    mine: withWritten(theirs, writeEdits(record, edits, theirs, true)),
    theirs,
    response: refusal(),
    messages: record[MODEL].messages,
  });
  error.resolveBy(new Resolution(record, before, error, save));
  return error;
}

/** Stands for the response of a server that would have noticed the conflict. */
function refusal() {
  const raw = new Response(null, { status: 409 });
  const { status, headers } = raw;
  return responseOf({ value: undefined, long: false }, '', { status, headers, url: '', redirected: false, raw });
}

/** The ways to end a conflict of which nothing was sent: it needs no extension of the proxy. */
class Resolution implements ConflictResolver {
  private isOver = false;

  constructor(
    private readonly record: InnerRecord,
    private readonly before: Readonly<Data>,
    private readonly error: ConflictError,
    private readonly save: () => Promise<unknown>,
  ) {}

  async inspect(): Promise<readonly FieldConflict[]> {
    this.checkOpen();
    return this.record[MODEL].fields.filter(({ persist }) => persist).map((field) => this.sidesOf(field));
  }

  async keepMine(): Promise<void> {
    this.checkOpen();
    await this.save();
    this.isOver = true;
  }

  /** The library reads the record again, and has nothing to give up. */
  takeTheirs(): void {
    this.checkOpen();
    this.isOver = true;
  }

  async merge(decide?: MergeDecision): Promise<void> {
    this.checkOpen();
    const { record, error } = this;
    const sides = [...(record[CORE]?.edits?.keys() ?? [])].map((field) => this.sidesOf(field));
    const others = sides.filter(({ base, theirs }) => !isSame(base, theirs));
    const untouched = others.filter(({ base, mine }) => isSame(base, mine)).map(({ field }) => field);
    const clashes = others.filter(({ field }) => !untouched.includes(field));
    const decided: Data = {};
    for (const clash of clashes) decided[clash.field] = await decide?.(clash);
    const open = clashes.filter(({ field }) => decided[field] === undefined);
    if (open.length > 0) throw Object.assign(error, { fields: open });
    this.checkOpen();
    if (untouched.length > 0) reject(record, untouched);
    setValues(record, decided);
    await this.save();
    this.isOver = true;
  }

  private sidesOf(field: FieldDefinition): FieldConflict {
    const { record, before } = this;
    const theirs = sealed(field.read(field.raw(record[ROW])));
    const base = Object.hasOwn(before, field.name) ? before[field.name] : theirs;
    return { field: field.name, base, mine: currentValue(record, field), theirs };
  }

  private checkOpen(): void {
    if (!this.isOver) return;
    const { messages } = this.record[MODEL];
    throw new StateError('unresolvable', 'conflict-over', modelAndId(this.record), { messages });
  }
}
