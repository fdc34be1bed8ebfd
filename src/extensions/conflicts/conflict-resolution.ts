import {
  ConflictError,
  type ConflictResolver,
  type FieldConflict,
  type MergeDecision,
} from '../../errors/conflict-error.js';
import type { DataError } from '../../errors/data-error.js';
import { HttpError } from '../../errors/http-error.js';
import { StateError } from '../../errors/state-error.js';
import { notesOf, setNotes } from '../../extension/row-notes.js';
import { exactBody, type HttpResponse } from '../../http/http-response.js';
import { runOperation } from '../../model/call.js';
import { baseOf } from '../../model/conflict-base.js';
import type { FieldDefinition } from '../../model/field-definition.js';
import { readRow } from '../../model/read.js';
import { readsElsewhere } from '../../model/read-address.js';
import {
  baseValue,
  coreOf,
  currentValue,
  guardErased,
  type InnerRecord,
  initRecord,
  isDirty,
  nameOf,
  reject,
  setPath,
  withWritten,
} from '../../model/record.js';
import { nextTime, settleErased, settleFailed, settleRead } from '../../model/settle.js';
import { tellEnded } from '../../model/settle-write.js';
import { CORE, FROM_ROW, ROW } from '../../model/symbols.js';
import { eraseRecord, saveRecord } from '../../model/write.js';
import type { Action } from '../../operation/actions.js';
import { Operation } from '../../operation/operation.js';
import { MODEL } from '../../operation/operation-record.js';
import { isConditional, willBeConditional } from '../../proxy/condition.js';
import type { DataProxy } from '../../proxy/data-proxy.js';
import { type Data, getMember, isData, isObject } from '../../util/data-path.js';
import { idKey } from '../../util/same-id.js';
import { isSame, sealed } from '../../util/values.js';

/** What the server has now. */
interface Theirs {
  readonly row: Data;
  readonly startedAt: number;
}

/** A field that both sides changed, and what it was decided to be. */
interface Clash {
  readonly conflict: FieldConflict;
  /** Both sides in JSON, by which is told whether they are still what was decided about. */
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly value?: unknown;
}

/** What is merged. */
interface Merging {
  readonly theirs: Theirs;
  readonly clashes: readonly Clash[];
}

/** Lets the conflict of an update or destroy be ended by its methods. Called before the write settles as failed. */
export function armConflict(record: InnerRecord, error: ConflictError, proxyOf: () => DataProxy): void {
  const { action } = error.operation as Operation;
  const core = coreOf(record);
  if (action === 'create') return;
  const mine = action === 'destroy' ? {} : withWritten(record, core.sent ?? new Map());
  error.tell({ base: baseOf(record), mine, theirs: theirsIn(error, record) });
  error.resolveBy(new Resolution(record, error, proxyOf));
}

/** The row as the server has it now, where the answer that tells of the conflict holds it. */
function theirsIn({ operation }: ConflictError, record: InnerRecord): Data | undefined {
  const model = record[MODEL];
  const { response } = operation as Operation;
  const body = response && exactBody(response);
  const id = record.phantom ? undefined : model.serverId(record);
  const idOf = (row: unknown) => model.rowId(row);
  const row = getMember(body, 'current') ?? (idOf(body) === undefined ? undefined : body);
  // A body may have an id of its own, or be the row of the record that is in the way.
  const isOther = idKey(idOf(row) ?? id) !== idKey(id ?? idOf(row));
  return isData(row) && !isOther ? row : undefined;
}

/** The ways out of the conflict of one record. */
class Resolution implements ConflictResolver {
  /** The row when the write failed. */
  private readonly before: Data;
  /** What the edits started from. */
  private readonly base: Data;
  private running = false;

  constructor(
    private readonly record: InnerRecord,
    private readonly error: ConflictError,
    private readonly proxyOf: () => DataProxy,
    private readonly action: string = (error.operation as Operation).action,
  ) {
    this.before = record[ROW];
    this.base = baseOf(record);
  }

  keepMine(): Promise<void> {
    return this.run(async () => {
      const theirs = await this.find();
      if (!theirs) return this.endGone();
      this.apply(theirs);
      await this.write();
    });
  }

  takeTheirs(): void | Promise<void> {
    this.check();
    const { error } = this;
    const theirs = this.known();
    if (theirs ?? error.gone) return this.take(theirs);
    const taking = this.run(async () => this.take(await this.fetch()));
    // Who does not wait sees on the record that nothing has changed.
    taking.catch(() => undefined);
    return taking;
  }

  merge(decide?: MergeDecision): Promise<void> {
    return this.run(async () => {
      const { record, error, base } = this;
      const found = await this.find();
      if (!found) return this.endGone();
      const erases = this.action === 'destroy';
      const { theirs, clashes } = await this.decideAll(found, decide);
      const fields = clashes.filter(({ value }) => value === undefined).map(({ conflict }) => conflict);
      if (erases ? this.differ(base, theirs.row) : fields.length > 0) {
        error.tell({ theirs: theirs.row });
        throw Object.assign(error, { fields });
      }
      this.apply(theirs);
      if (!erases) for (const { conflict, value } of clashes) setPath(record, conflict.field, value);
      await this.write();
    });
  }

  /** Has the conflicts decided; once more those of what was edited or read while that took. */
  private async decideAll(found: Theirs, decide: MergeDecision | undefined): Promise<Merging> {
    const { record, before, base } = this;
    const decided = new Map<string, Clash>();
    for (;;) {
      this.check(true);
      // What was read meanwhile is newer.
      const theirs = (record[ROW] === before ? undefined : this.known()) ?? found;
      const clashes = clashesIn(record, base, theirs.row);
      const open = clashes.filter((clash) => {
        const before = decided.get(clash.conflict.field);
        return !before || !isSame(before.mine, clash.mine) || !isSame(before.theirs, clash.theirs);
      });
      if (!decide || open.length === 0)
        return { theirs, clashes: clashes.map((clash) => decided.get(clash.conflict.field) ?? clash) };
      for (const clash of open) decided.set(clash.conflict.field, { ...clash, value: await decide(clash.conflict) });
    }
  }

  /** Refuses where something else has become of the record since. */
  private check(running: boolean = false): void {
    const { record, error } = this;
    const core = coreOf(record);
    guardErased(record);
    if (core.saving || this.running !== running) throw new StateError('busy', 'busy', nameOf(record));
    if (core.failure !== error) throw new StateError('unresolvable', 'conflict-over', nameOf(record));
  }

  private async run(way: () => Promise<void>): Promise<void> {
    this.check();
    this.running = true;
    try {
      await way();
    } finally {
      this.running = false;
    }
  }

  /** What the server has now, whole and with its ETag where one is asked for; undefined: nothing. */
  private async find(): Promise<Theirs | undefined> {
    const { error } = this;
    if (error.gone) return undefined;
    const known = this.known();
    const { request } = error.operation as Operation;
    if (known && (!request || !isConditional(request) || this.isGuarded(known))) return known;
    const theirs = await this.fetch();
    this.check(true);
    // The application has decided about the row that it saw.
    if (known && theirs && this.differ(known.row, theirs.row)) this.endChanged(theirs.row);
    return theirs;
  }

  /** Whether a write over a row would be conditional on it. */
  private isGuarded({ row }: Theirs): boolean {
    const { record, action } = this;
    const theirs = Object.create(Object.getPrototypeOf(record) as object) as InnerRecord;
    initRecord(theirs, row, FROM_ROW);
    return willBeConditional(theirs, action as Action, this.proxyOf());
  }

  /** Whether two rows differ in a field. */
  private differ(before: Data, now: Data): boolean {
    return this.record[MODEL].fields.some((field) => !isSame(field.raw(before), field.raw(now)));
  }

  /** What is known of it: what was read since, else what the answer held, if that is the whole row. */
  private known(): Theirs | undefined {
    const { record, error, before } = this;
    const { exactTheirs: theirs } = error;
    const { fields, clock } = record[MODEL];
    const { [ROW]: row, [CORE]: core } = record;
    // What is known in part must be read before it is written.
    if (core?.incomplete) return undefined;
    if (row !== before) return { row, startedAt: clock.now };
    const isLocal = (name: string) => fields.some(({ path, persist }) => !persist && path?.[0] === name);
    if (!isData(theirs) || !Object.keys(before).every((name) => Object.hasOwn(theirs, name) || isLocal(name)))
      return undefined;
    // The `ETag` header of an error answer is that of its own body, not of the row inside.
    return { row: { ...theirs }, startedAt: clock.now };
  }

  /** Reads the record, without its becoming so; undefined: it is not there. */
  private async fetch(): Promise<Theirs | undefined> {
    const { record } = this;
    const model = record[MODEL];
    const startedAt = nextTime(model);
    const id = model.serverId(record);
    // With headers of its own, though there are none, the read asks for the row, and not only whether it has changed.
    const options = { headers: {}, ...this.options() };
    const operation: Operation = new Operation({ ...options, action: 'read', records: [record], id });
    try {
      const row = await runOperation(record, operation, () => readRow(model, this.proxyOf(), operation));
      return { row, startedAt };
    } catch (error) {
      const { status = 0, reason } = error as HttpError;
      if (status !== 404 && status !== 410 && reason !== 'reply-record') throw error;
      if (readsElsewhere(this.proxyOf(), this.error.operation as Operation)) throw this.notFound(error as DataError);
      this.lost = operation;
      return undefined;
    }
  }

  /** The error of a read under `api.read` that found nothing: whether the record is gone is not known. */
  private notFound(cause: DataError): DataError {
    const { response } = cause.operation as Operation;
    if (!(cause instanceof HttpError)) return cause;
    const options = { response: response as HttpResponse, problem: cause.problem, cause };
    return new HttpError('conflict-elsewhere', nameOf(this.record), options).inContext(cause.operation);
  }

  /** The read that found nothing. */
  private lost: Operation | undefined = undefined;

  /** The options of the write that failed, but for the condition that did not hold. */
  private options(): object {
    const { params, pathParams, url, headers = {} } = this.error.operation as Operation;
    const others = Object.entries(headers).filter(([name]) => !/^if-match$/i.test(name));
    return { params, pathParams, url, ...(others.length > 0 && { headers: Object.fromEntries(others) }) };
  }

  /** The row becomes the base, under the edits. */
  private apply({ row, startedAt }: Theirs): void {
    const { record } = this;
    const core = coreOf(record);
    core.error = core.failure = undefined;
    if (row === record[ROW]) return;
    const notes = notesOf(row);
    settleRead(record, row, startedAt);
    // What was noted of the row before led to the conflict, also where the two rows are equal.
    setNotes(record[ROW], notes);
  }

  private async write(): Promise<void> {
    const { record, action } = this;
    const write = action === 'destroy' ? eraseRecord : isDirty(record) ? saveRecord : undefined;
    await write?.(record, this.proxyOf, this.options(), (operation) => operation);
  }

  private take(theirs: Theirs | undefined): void {
    const { record } = this;
    this.check(this.running);
    if (!theirs) return settleErased(record);
    reject(record);
    this.apply(theirs);
    // An erase leaves no edit by whose end an outbox would see that it was given up.
    if (this.action === 'destroy')
      void tellEnded(record, 'destroy', this.proxyOf(), { error: this.error, ending: 'refused' });
  }

  /** The record is gone: an erase has nothing left to do, an update nothing to go to. */
  private endGone(): void {
    const { record, error, action } = this;
    if (action === 'destroy') return settleErased(record);
    if (error.gone) throw error;
    const lost = this.lost as Operation;
    const gone = this.next('conflict-gone', lost, undefined);
    this.replaceBy(Object.assign(gone, { gone: true }), lost);
  }

  /** The server has changed the row once more since the answer that told of the conflict. */
  private endChanged(theirs: Data): never {
    const operation = this.error.operation as Operation;
    this.replaceBy(this.next('conflict-again', operation, theirs), operation);
  }

  private next(reason: string, { response }: Operation, theirs: Data | undefined): ConflictError {
    const { base, mine } = this.error;
    const options = { base, mine, theirs, response: response as HttpResponse };
    return new ConflictError(reason, nameOf(this.record), options);
  }

  /** Another conflict takes the place of this one. */
  private replaceBy(next: ConflictError, operation: Operation): never {
    const { record, error, proxyOf, action } = this;
    next.inContext(operation, record[MODEL].messages);
    next.resolveBy(new Resolution(record, next, proxyOf, action));
    settleFailed(record, next, error.operation);
    throw next;
  }
}

/** The edited fields that were changed on the server too, to something else. */
function clashesIn(record: InnerRecord, before: Data, theirs: Data, path: string = ''): Clash[] {
  const edits = [...(record[CORE]?.edits ?? [])].filter(([field]) => field.persist);
  return edits.flatMap(([field, value]) => {
    const [was, is] = [field.raw(before), field.raw(theirs)];
    const mine = field.write(value, record[ROW]);
    if (isSameRaw(field, was, is) || isSame(mine, is)) return [];
    const name = path + field.name;
    // Of a record inside, unless it was replaced, fields are told apart too.
    if (isRecord(value) && isData(was) && isData(is) && baseValue(record, field) === value)
      return clashesIn(value, was, is, `${name}.`);
    const [base, theirValue] = [sealed(field.read(was)), sealed(field.read(is))];
    const conflict = { field: name, base, mine: currentValue(record, field), theirs: theirValue };
    return { conflict, mine, theirs: is };
  });
}

/** By content; a text that reads as the same value is no change. */
function isSameRaw(field: FieldDefinition, was: unknown, is: unknown): boolean {
  return isSame(was, is) || (!field.embedding && isSame(field.read(was), field.read(is)));
}

function isRecord(value: unknown): value is InnerRecord {
  return isObject(value) && MODEL in value;
}
