import {
  ConflictError,
  type ConflictResolver,
  type FieldConflict,
  type MergeDecision,
} from '../../errors/conflict-error.js';
import { type DataError, isGone } from '../../errors/data-error.js';
import { HttpError } from '../../errors/request-errors.js';
import type { Keeper } from '../../extension/keeper.js';
import { notesOf, setNotes } from '../../extension/row-notes.js';
import { exactBody, type HttpResponse } from '../../http/http-response.js';
import { runOperation } from '../../model/call.js';
import { type Change, copyFieldValue, rowAfter } from '../../model/change.js';
import { type FieldDefinition, isAlikeRaw } from '../../model/field-definition.js';
import { readRow } from '../../model/read.js';
import { readsElsewhere } from '../../model/read-address.js';
import { callWithoutCondition, operationOfRead } from '../../model/read-again.js';
import {
  baseValue,
  coreOf,
  currentValue,
  guardErased,
  type InnerRecord,
  isInner,
  reject,
  setPath,
  twinOf,
} from '../../model/record.js';
import { modelAndId, recordError } from '../../model/record-error.js';
import { didChange } from '../../model/record-owner.js';
import { acceptNewer, endConflict, nextTime, settleErased, settleFailed, settleRead } from '../../model/settle.js';
import { CORE, ROW } from '../../model/symbols.js';
import { captureSave, eraseRecord, reportOutcome, saveRecord, sendStored } from '../../model/write.js';
import type { Action } from '../../operation/actions.js';
import type { Operation } from '../../operation/operation.js';
import { MODEL } from '../../operation/operation-record.js';
import { isConditional, willBeConditional } from '../../operation/proxy-request.js';
import type { DataProxy } from '../../proxy/data-proxy.js';
import { type Data, getMember, isData } from '../../util/data-path.js';
import { idKey } from '../../util/id-key.js';
import { isSame, sealed } from '../../util/values.js';
import { differsInside } from '../unknown-tag.js';

/** The row that the server has now. */
interface ServerRow {
  readonly row: Data;
  /** When the row was read, on the model's clock of reads and writes. */
  readonly startedAt: number;
}

/** A field that both sides changed, and the value that the application chose for it. */
interface Clash {
  readonly conflict: FieldConflict;
  /** The raw values of both sides: if one of them changes, the application has to decide again. */
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly value?: unknown;
}

/** The server's row and the fields that both sides changed, with the decisions about them. */
interface MergePlan {
  readonly theirs: ServerRow;
  readonly clashes: readonly Clash[];
}

/**
 * Completes the error of an update or destroy with the rows of both sides and with methods that work. Called before the write settles
 * as failed.
 */
export function attachResolver(
  record: InnerRecord,
  error: ConflictError,
  change: Change | undefined,
  proxyOf: () => DataProxy,
): void {
  const { action } = error.operation as Operation;
  if (action === 'create') return;
  const mine = action === 'destroy' ? {} : rowAfter(change ?? { base: record[ROW], written: new Map() });
  error.tell({
    base: change?.seen ?? change?.base ?? record[ROW],
    mine,
    theirs: rowInAnswer(error, record) ?? error.exactTheirs,
  });
  error.resolveBy(new Resolution(record, error, change, proxyOf));
}

/** The row of the server, if the body of the conflict's response holds it. */
function rowInAnswer({ operation }: ConflictError, record: InnerRecord): Data | undefined {
  const model = record[MODEL];
  const { response } = operation as Operation;
  const body = response && exactBody(response);
  const id = record.phantom ? undefined : model.serverId(record);
  const idOf = (row: unknown) => model.rowId(row);
  const row = getMember(body, 'current') ?? (idOf(body) === undefined ? undefined : body);
  // The `id` in a body may be that of an error report, or of another record with which the write collides.
  const isOther = idKey(idOf(row) ?? id) !== idKey(id ?? idOf(row));
  return isData(row) && !isOther ? row : undefined;
}

/** Resolves the conflict of one record. */
class Resolution implements ConflictResolver {
  /** The record's row when the write failed. */
  private readonly rowAtFailure: Data;
  /** The row that the edits were made on. */
  private readonly base: Data;
  private isResolving = false;
  /** The row that `inspect()` has read. */
  private inspected: ServerRow | undefined = undefined;

  constructor(
    private readonly record: InnerRecord,
    private readonly error: ConflictError,
    /** The values that the application tried to save; undefined for an erase. */
    private readonly change: Change | undefined,
    private readonly proxyOf: () => DataProxy,
    private readonly action: string = (error.operation as Operation).action,
  ) {
    this.rowAtFailure = record[ROW];
    // A row that was read while the write was in flight is not the one on which its values were made.
    this.base = change?.seen ?? change?.base ?? record[ROW];
  }

  async inspect(): Promise<readonly FieldConflict[]> {
    this.checkResolvable(this.isResolving);
    const { record, error, base, action } = this;
    const known = this.knownServerRow();
    if (!known && !error.gone) await this.inspectServerRow();
    const theirs = known ?? this.inspected;
    const isErase = action === 'destroy';
    const read = (field: FieldDefinition, row: Data) => sealed(field.read(field.raw(row)));
    return record[MODEL].fields
      .filter(({ persist }) => persist)
      .map((field) => ({
        field: field.name,
        base: read(field, base),
        mine: isErase ? undefined : currentValue(record, field),
        theirs: theirs && read(field, theirs.row),
      }));
  }

  /** Reads the row of the server for a caller who only looks at it, and tells it in the error. */
  private async inspectServerRow(): Promise<void> {
    const theirs = await this.readServerRow();
    this.checkResolvable(this.isResolving);
    if (!theirs) return void Object.assign(this.error, { gone: true });
    this.inspected = theirs;
    this.error.tell({ theirs: theirs.row });
  }

  keepMine(): Promise<void> {
    return this.runExclusively(async () => {
      const theirs = await this.findServerRow();
      if (!theirs) return this.endAsGone();
      this.rebase(theirs);
      await this.writeAgain('all of mine');
    });
  }

  takeTheirs(): void | Promise<void> {
    this.checkResolvable();
    const { error } = this;
    const theirs = this.knownServerRow();
    if (theirs ?? error.gone) return this.adopt(theirs);
    const taking = this.runExclusively(async () => this.adopt(await this.readServerRow()));
    // A caller who ignores the promise must not cause an unhandled rejection: the record still shows the conflict.
    taking.catch(() => undefined);
    return taking;
  }

  merge(decide?: MergeDecision): Promise<void> {
    return this.runExclusively(async () => {
      const { record, error, base } = this;
      const serverRow = await this.findServerRow();
      if (!serverRow) return this.endAsGone();
      const isErase = this.action === 'destroy';
      const { theirs, clashes } = await this.decideClashes(serverRow, decide);
      const fields = clashes.filter(({ value }) => value === undefined).map(({ conflict }) => conflict);
      if (isErase ? this.rowsDiffer(base, theirs.row) : fields.length > 0) {
        error.tell({ theirs: theirs.row });
        throw Object.assign(error, { fields });
      }
      this.rebase(theirs);
      if (!isErase) for (const { conflict, value } of clashes) setPath(record, conflict.field, value);
      await this.writeAgain(clashes.map(({ conflict }) => conflict.field));
    });
  }

  /** Asks the application to decide each clash. A clash whose values changed during a decision is decided again. */
  private async decideClashes(serverRow: ServerRow, decide: MergeDecision | undefined): Promise<MergePlan> {
    const { record, rowAtFailure, base } = this;
    const decided = new Map<string, Clash>();
    for (;;) {
      this.checkResolvable(true);
      // A row that another read brought during a decision is newer than the row found before.
      const theirs = (record[ROW] === rowAtFailure ? undefined : this.knownServerRow()) ?? serverRow;
      const clashes = clashesIn(record, base, theirs.row);
      const open = clashes.filter((clash) => {
        const earlier = decided.get(clash.conflict.field);
        return !earlier || !isSame(earlier.mine, clash.mine) || !isSame(earlier.theirs, clash.theirs);
      });
      if (!decide || open.length === 0)
        return { theirs, clashes: clashes.map((clash) => decided.get(clash.conflict.field) ?? clash) };
      for (const clash of open) decided.set(clash.conflict.field, { ...clash, value: await decide(clash.conflict) });
    }
  }

  /** Throws `StateError` if the record has been written, read or erased since, so that this conflict is over. */
  private checkResolvable(isResolving: boolean = false): void {
    const { record, error } = this;
    const core = coreOf(record);
    guardErased(record);
    if (core.saving || this.isResolving !== isResolving)
      throw recordError(record, 'busy', 'busy', { call: 'Deciding a conflict' });
    if (core.failure !== error) throw recordError(record, 'unresolvable', 'conflict-over');
  }

  /** Runs one way to resolve the conflict; a second one that starts meanwhile throws `StateError`. */
  private async runExclusively(resolve: () => Promise<void>): Promise<void> {
    this.checkResolvable();
    this.isResolving = true;
    try {
      await resolve();
    } finally {
      this.isResolving = false;
    }
  }

  /** The whole row that the server has now, with its ETag if writes are conditional; undefined: the record is gone from the server. */
  private async findServerRow(): Promise<ServerRow | undefined> {
    const { error } = this;
    if (error.gone) return undefined;
    const known = this.knownServerRow();
    const { request } = error.operation as Operation;
    if (known && (!request || !isConditional(request) || this.isGuarded(known))) return known;
    const theirs = await this.readServerRow();
    this.checkResolvable(true);
    // The application chose this way because of the row in the error, so a newer row is a new conflict.
    if (known && theirs && this.rowsDiffer(known.row, theirs.row))
      this.replace('conflict-again', error.operation as Operation, theirs.row);
    return theirs;
  }

  /** Whether a write over a row of the server would be conditional on that row. */
  private isGuarded({ row }: ServerRow): boolean {
    const { record, action } = this;
    return willBeConditional(twinOf(record, row), action as Action, this.proxyOf());
  }

  /** Whether two rows differ in any declared field, or, where a row is to be erased, in another member that both have. */
  private rowsDiffer(first: Data, second: Data): boolean {
    const { record, action } = this;
    const isOther = record[MODEL].fields.some((field) => !isSame(field.raw(first), field.raw(second)));
    return isOther || (action === 'destroy' && differsInside(record, first, second));
  }

  /**
   * The row of the server that is known without a request: a row read since the conflict, else the row in the conflict's response, if it
   * is whole.
   */
  private knownServerRow(): ServerRow | undefined {
    const { record, error, rowAtFailure } = this;
    const { exactTheirs: theirs } = error;
    const { fields, clock } = record[MODEL];
    const { [ROW]: row, [CORE]: core } = record;
    if (this.inspected && row === rowAtFailure) return this.inspected;
    // An incomplete row must be read again before it can be written.
    if (core?.incomplete) return undefined;
    if (row !== rowAtFailure) return { row, startedAt: clock.now };
    const isLocal = (name: string) => fields.some(({ path, persist }) => !persist && path?.[0] === name);
    if (!isData(theirs) || !Object.keys(rowAtFailure).every((name) => Object.hasOwn(theirs, name) || isLocal(name)))
      return undefined;
    // The `ETag` header of an error response belongs to the response's own body, not to the row inside it. A row that was read has its notes.
    const copy = { ...theirs };
    setNotes(copy, notesOf(theirs));
    return { row: copy, startedAt: clock.now };
  }

  /** Reads the row of the server without changing the record; undefined: the record is gone from the server. */
  private async readServerRow(): Promise<ServerRow | undefined> {
    const { record } = this;
    const model = record[MODEL];
    const startedAt = nextTime(model);
    const operation = operationOfRead(record, callWithoutCondition(this.error.operation as Operation));
    try {
      const row = await runOperation(record, operation, () => readRow(model, this.proxyOf(), operation));
      return { row, startedAt };
    } catch (error) {
      if (!isGone(error)) throw error;
      if (readsElsewhere(this.proxyOf(), this.error.operation as Operation)) throw this.notFound(error as DataError);
      this.failedRead = operation;
      return undefined;
    }
  }

  /** The error for a read from `api.read` that found nothing. It does not say whether the record is gone from the address of writes. */
  private notFound(cause: DataError): DataError {
    const { response } = cause.operation as Operation;
    if (!(cause instanceof HttpError)) return cause;
    const options = { response: response as HttpResponse, problem: cause.problem, cause };
    const { messages } = this.record[MODEL];
    return new HttpError('conflict-elsewhere', modelAndId(this.record), options).inContext(cause.operation, messages);
  }

  /** The read that found the record gone. */
  private failedRead: Operation | undefined = undefined;

  /** Makes the server's row the base of the record; the edits stay on top. */
  private rebase({ row, startedAt }: ServerRow): void {
    const { record } = this;
    endConflict(record);
    if (row === record[ROW]) return didChange(record, { kind: 'failed', fields: [] });
    const notes = notesOf(row);
    settleRead(record, row, startedAt);
    // The notes of the old row hold the ETag that led to the conflict, so the record must not keep them, even if both rows are equal.
    setNotes(record[ROW], notes);
  }

  /**
   * Writes the values of the failed write again. `decided` are fields that the application has just set, which are written too; a field that
   * it has set back while it decided is not written. What else was edited since stays an edit.
   */
  private async writeAgain(decided: 'all of mine' | readonly string[]): Promise<void> {
    const { record, action, proxyOf } = this;
    const options = callWithoutCondition(this.error.operation as Operation);
    if (action === 'destroy') {
      await eraseRecord(record, { ...options, proxy: proxyOf() });
      return;
    }
    const proxy = proxyOf();
    const { keeper } = coreOf(record);
    const isKept = keeper?.overwrites(record) ?? false;
    const values = this.valuesToWrite(decided, isKept);
    // An outbox has everything that was saved, also after this error.
    if (isKept && values.edits.size === 0)
      return void (await sendStored(record, 'update', proxy, () => (keeper as Keeper).decide(record)));
    if (values.edits.size === 0) return;
    acceptNewer(record, values.edits.keys());
    const captured = captureSave(record, proxy, options, false, values);
    await saveRecord(record, { ...options, ...captured, proxy });
  }

  private valuesToWrite(decided: 'all of mine' | readonly string[], isKept: boolean): Pick<Change, 'edits' | 'live'> {
    const { record, change } = this;
    const present = coreOf(record).edits ?? new Map<FieldDefinition, unknown>();
    const isDecided = ({ name }: FieldDefinition) =>
      decided !== 'all of mine' && decided.some((path) => path === name || path.startsWith(`${name}.`));
    const isMine = (field: FieldDefinition) =>
      present.has(field) || (decided === 'all of mine' && this.isSetBack(field));
    const [edits, live] = [new Map<FieldDefinition, unknown>(), new Map(present)];
    for (const field of new Set([...present.keys(), ...(change?.edits.keys() ?? [])])) {
      if (!field.persist) continue;
      if (isDecided(field)) {
        if (present.has(field)) edits.set(field, copyFieldValue(field, present.get(field)));
      } else if (!isKept && change?.edits.has(field) && isMine(field)) {
        const mine = mineOnTheirs(record, change, field, present.get(field));
        edits.set(field, mine.value);
        live.set(field, mine.live);
      }
    }
    return { edits, live };
  }

  /** Whether the application has set a field back to the value before the write, without saving that: it is no edit then. */
  private isSetBack({ name }: FieldDefinition): boolean {
    return (coreOf(this.record).editedAt[name] ?? 0) > (this.change?.at ?? 0);
  }

  private adopt(theirs: ServerRow | undefined): void {
    const { record } = this;
    this.checkResolvable(this.isResolving);
    if (!theirs) return settleErased(record);
    reject(record);
    this.rebase(theirs);
    // An outbox notices a cancelled update because its edits are gone. A cancelled erase has no edits, so the outbox has to be told.
    if (this.action === 'destroy')
      void reportOutcome(record, 'destroy', this.proxyOf(), { error: this.error, ending: 'refused' });
  }

  /** Ends the conflict of a record that is gone from the server: an erase is done, an update fails with a new conflict. */
  private endAsGone(): void {
    const { record, error, action } = this;
    if (action === 'destroy') return settleErased(record);
    if (error.gone) throw error;
    this.replace('conflict-gone', this.failedRead as Operation, undefined);
  }

  /** Makes a new conflict the error of the record, and throws it: the server has another row than this one says, or none any more. */
  private replace(reason: 'conflict-gone' | 'conflict-again', operation: Operation, theirs: Data | undefined): never {
    const { record, error, change, proxyOf, action } = this;
    const { base, mine } = error;
    const options = { base, mine, theirs, response: operation.response as HttpResponse };
    const next = Object.assign(new ConflictError(reason, modelAndId(record), options), { gone: !theirs });
    next.inContext(operation, record[MODEL].messages);
    next.resolveBy(new Resolution(record, next, change, proxyOf, action));
    settleFailed(record, next, error.operation);
    throw next;
  }
}

/**
 * The value that the failed write has sent, and the records that show it; of embedded records, the members and lines that it has edited, over
 * those that the server has now.
 */
function mineOnTheirs(
  record: InnerRecord,
  change: Change,
  field: FieldDefinition,
  present: unknown,
): { readonly value: unknown; readonly live: unknown } {
  const { embedding } = field;
  if (!embedding) return { value: change.edits.get(field), live: present };
  const { written, base: row, seen = row } = change;
  const [mine, base, theirs] = [written.get(field), field.raw(seen), field.raw(record[ROW])];
  const live = change.live.get(field);
  const isList = Array.isArray(mine) && Array.isArray(base);
  const isEdited = isData(mine) && isData(base) && embedding.model.rowId(mine) === embedding.model.rowId(base);
  // An embedded record that has replaced another one is sent as it was.
  if (!(isList && Array.isArray(theirs)) && !(isEdited && isData(theirs)))
    return { value: change.edits.get(field), live };
  const merged = embedding.merge(field, { base, mine, live, theirs, stored: baseValue(record, field) });
  return { value: field.read(merged.value), live: isList ? merged.live : present };
}

/** The edited fields that were also changed on the server, to another value. */
function clashesIn(record: InnerRecord, baseRow: Data, theirs: Data, path: string = ''): Clash[] {
  const edits = [...(record[CORE]?.edits ?? [])].filter(([field]) => field.persist);
  return edits.flatMap(([field, value]) => {
    const [baseRaw, theirRaw] = [field.raw(baseRow), field.raw(theirs)];
    const mine = field.write(value, record[ROW]);
    if (isAlikeRaw(field, baseRaw, theirRaw) || isSame(mine, theirRaw)) return [];
    const name = path + field.name;
    // An embedded record that was edited, not replaced, is compared field by field.
    if (isInner(value) && isData(baseRaw) && isData(theirRaw) && baseValue(record, field) === value)
      return clashesIn(value, baseRaw, theirRaw, `${name}.`);
    const areLists = [baseRaw, mine, theirRaw].every(Array.isArray);
    const lists = { base: baseRaw, mine, live: value, theirs: theirRaw, stored: undefined };
    if (areLists && field.embedding?.merge(field, lists).conflicts.length === 0) return [];
    const [base, theirValue] = [sealed(field.read(baseRaw)), sealed(field.read(theirRaw))];
    const conflict = { field: name, base, mine: currentValue(record, field), theirs: theirValue };
    return { conflict, mine, theirs: theirRaw };
  });
}
