import { inDevelopment, warn } from '../dev/checks.js';
import { type Conflict, ConflictError } from '../errors/conflict-error.js';
import type { DataError } from '../errors/data-error.js';
import type { Extension } from '../extension/extension.js';
import { failedOutcomes } from '../extension/hooks.js';
import { changedNotes, isAsReceived, noteOf, setNotes } from '../extension/row-notes.js';
import type { Outcome, Write, WriteStep } from '../extension/write-hook.js';
import type { HttpResponse } from '../http/http-response.js';
import { type Change, changeWith } from '../model/change.js';
import { type FieldDefinition, isAlikeRaw } from '../model/field-definition.js';
import { readRowAgain } from '../model/read-again.js';
import { coreOf, type InnerRecord, withWritten } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';
import { settleRead } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import { freeze, needsWholeRow, type RecordWrite, sentRecords } from '../model/write.js';
import { MODEL, type OperationRecord, rowOf } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { carriesCondition } from '../proxy/decode.js';
import type { Data } from '../util/data-path.js';
import { callSafely } from '../util/notifier.js';
import { isSame } from '../util/values.js';
import { WARN, type WarnedExtension } from './answer-checks.js';

/** The name of the extension, and of its notes. */
export const ETAGS = 'etags';

/** The note about a row. */
interface EtagNote {
  readonly etag?: string | undefined;
  /** Whether the server has raised the version inside the row (`lockVersion`) since, and has not told the new one. */
  readonly outdated?: boolean;
  /**
   * Whether the ETag came from an ordinary read of the record, without parameters or headers of the caller. Only such a read can be
   * repeated with `If-None-Match`.
   */
  readonly read?: boolean;
}

/** The note about a row. */
export function etagNote(row: object): EtagNote | undefined {
  return noteOf(row, ETAGS) as EtagNote | undefined;
}

/** The ETag that is known of a row. */
export function knownTag(row: object, { reader }: DataProxy): string | undefined {
  return etagNote(row)?.etag ?? (isAsReceived(row) ? reader.etagOf(row) : undefined);
}

/** Finds the ETags of rows for which none is known, by a read before the write. */
export class UnknownTags {
  /** The proxies whose reads of a single record bring no ETag: another read before each write would be of no use. */
  private readonly untagged: WeakSet<DataProxy> = new WeakSet();
  /** The models whose writes were told to be without a condition. */
  private readonly told: WeakSet<object> = new WeakSet();

  /** Notes whether the response about a single record, which was read, had an ETag. */
  noteRead(proxy: DataProxy, isTagged: boolean): void {
    if (isTagged) this.untagged.delete(proxy);
    else this.untagged.add(proxy);
  }

  /** Runs a write; a row whose ETag is unknown is read before. If the row was changed since, nothing is sent. */
  async write(write: Write, next: WriteStep): Promise<readonly Outcome[]> {
    const outcomes = await (this.isUnknown(write) ? this.readFirst(write as RecordWrite, next) : next(write));
    inDevelopment(tellUnguarded, write as RecordWrite, outcomes, this.told);
    return outcomes;
  }

  private isUnknown(write: Write): boolean {
    if (!mayReadBefore(write)) return false;
    const { proxy } = write;
    // The request is made of this row: a later one of the record may have an ETag.
    const row = rowOf(sentRecords(write as RecordWrite)[0] as OperationRecord);
    return etagNote(row)?.outdated || (!this.untagged.has(proxy) && knownTag(row, proxy) === undefined);
  }

  private async readFirst(write: RecordWrite, next: WriteStep): Promise<readonly Outcome[]> {
    const { proxy } = write;
    let found: RowBefore;
    try {
      found = await readBefore(write);
    } catch (error) {
      if (!isRefusedRead(error as DataError)) throw error;
      const outcomes = await next(write);
      // A row that can be written but not read by itself never gets an ETag.
      if (outcomes.every((outcome) => !outcome.error)) this.noteRead(proxy, false);
      return outcomes;
    }
    const tag = knownTag(found.row, proxy);
    this.noteRead(proxy, tag !== undefined);
    const isCompared = tag !== undefined || etagNote(rowOf(write.records[0] as OperationRecord))?.outdated;
    return (isCompared && found.stale) || next(write);
  }
}

/** The member of an extension that compares the row of each write before it is sent. A symbol, so that it is no hook. */
export const COMPARES: unique symbol = Symbol('compares');

/** The member of an extension that gives an error of a conflict the calls which decide it. */
export const RESOLVES: unique symbol = Symbol('resolves');

/** An extension that may compare the rows of writes before they are sent. */
export interface ComparingExtension extends Extension {
  readonly [COMPARES]: boolean;
  readonly [RESOLVES]: (
    record: InnerRecord,
    error: ConflictError,
    change: Change | undefined,
    proxyOf: () => DataProxy,
  ) => void;
}

/** Warns once per model that its writes carry no version: by the `diagnostics()` of the proxy, else in the console. */
function tellUnguarded(write: RecordWrite, outcomes: readonly Outcome[], told: WeakSet<object>): void {
  const { action, inner: records, proxy, operation, durable } = write;
  const [record] = records as readonly [InnerRecord];
  const { request } = operation;
  const model = record[MODEL];
  const isOne = action !== 'create' && records.length === 1 && durable;
  const { extensions = [] } = proxy as {
    readonly extensions?: readonly Partial<ComparingExtension & WarnedExtension>[];
  };
  const isCompared = extensions.some((each) => each[COMPARES]);
  if (!isOne || !request || told.has(model) || isCompared || outcomes.some(({ error }) => error)) return;
  if (request.versioned || carriesCondition(request, proxy) || knownTag(model.row(record), proxy)) return;
  told.add(model);
  const text = `${model.name}: the server sends no ETag, so that updates and erases may replace what somebody else has saved. Compare the row before each write by \`safeWrites({ conflicts: { compare: 'read' } })\`, name a version of the row by \`reader: { etagProperty }\` or \`lockVersion\` of the dialect, or accept it by \`etags: { unknown: 'send' }\``;
  const listeners = extensions.flatMap((each) => each[WARN] ?? []);
  if (listeners.length === 0) warn(text);
  for (const listener of listeners) callSafely(listener, text, operation);
}

/**
 * Whether the row of a write may be read before: it is one that the server has, and the caller has given no condition. The rollback of another
 * write goes as that write did.
 */
export function mayReadBefore({ action, records, operation: { headers = {} }, durable }: Write): boolean {
  if (action === 'create' || records.length > 1 || !durable) return false;
  return !Object.keys(headers).some((name) => /^if-match$/i.test(name));
}

/** The row that the server has before a write. */
interface RowBefore {
  readonly row: Data;
  /** The outcome of the write if the row has changed since; undefined: it has not. */
  readonly stale?: readonly Outcome[] | undefined;
}

/**
 * Reads the row of a record before it is written. If the write may be sent, it is made on this row: it carries its ETag, and a request with
 * the whole row takes along what somebody else has changed in it.
 */
export async function readBefore(write: RecordWrite): Promise<RowBefore> {
  const [record] = write.inner as readonly [InnerRecord];
  const [change] = write.innerChanges as readonly [Change];
  const { row, operation } = await readRowAgain(record, write.proxy, write.operation);
  if (!hasChanged(write, record, change, row)) {
    freeze(write, [changeWith(change, { base: row, seen: undefined })]);
    if (write.action === 'update') {
      // The record does not get the ETag: after a write without a response, it might be that of the row before.
      const shown = { ...row };
      setNotes(shown, changedNotes(undefined));
      settleRead(record, shown, coreOf(record).begunAt, true);
    }
    return { row };
  }
  return { row, stale: unsent(write, change, row, operation.response as HttpResponse) };
}

/**
 * The outcome of an update of a field for which another value has come since it was edited: by a read, a feed or a reload. Undefined: there is
 * none. Nothing is sent, since the user may not have seen that value.
 */
export function unseenOutcome(write: RecordWrite): readonly Outcome[] | undefined {
  const { action, inner, innerChanges } = write;
  const [record] = inner as readonly [InnerRecord];
  const [change] = innerChanges;
  if (action !== 'update' || !change || !mayReadBefore(write)) return undefined;
  const { newer } = coreOf(record);
  const { [ROW]: row } = record;
  const before = [...(newer ?? [])].filter(([field]) => change.edits.has(field));
  if (before.length === 0) return undefined;
  const edited = changeWith(change, { seen: withWritten(row, new Map(before)) });
  if (!hasChanged(write, record, edited, row, false)) return undefined;
  write.innerChanges = [edited];
  return unsent(write, edited, row);
}

/** The outcome of a write that was not sent, because the server has another row than its user has seen. */
export function unsent(
  write: RecordWrite,
  { seen, base }: Change,
  theirs: Data,
  answer?: HttpResponse,
): readonly Outcome[] {
  const [record] = write.inner as readonly [InnerRecord];
  const mine = write.action === 'destroy' ? {} : record[MODEL].row(record);
  const error = unsentConflict(record, { base: seen ?? base, mine, theirs }, answer);
  return failedOutcomes(write, error).map((outcome) => ({ ...outcome, isRefuted: true }) as Outcome);
}

/** The conflict of a record whose write was not sent by this page. */
export function unsentConflict(record: InnerRecord, rows: Partial<Conflict>, answer?: HttpResponse): ConflictError {
  // No response refused the write; the status is that of a condition that does not hold.
  const raw = new Response(null, { status: 412 });
  const nothing = { headers: raw.headers, url: '', redirected: false, text: '', body: undefined, raw };
  return new ConflictError('conflict-unsent', modelAndId(record), {
    response: { ...nothing, ...answer, status: 412 },
    ...rows,
  });
}

/**
 * Whether the read of a row was refused for good, as by a server that serves only lists, or whose response is no row. Any other failure, such
 * as a lost connection, does not say what the server has.
 */
export function isRefusedRead(error: DataError): boolean {
  const { status = 0 } = error as { status?: number };
  if (error.code === 'read') return true;
  return status === 501 || (status >= 400 && status < 500 && ![401, 408, 425, 429].includes(status));
}

/**
 * Whether a row of the server differs from the row on which a change was made: in an edited field, or in any if `isWhole`, because the
 * request erases the row or sends it whole; for an erase also in a member without a field. A field that the server has as this write
 * would set it counts as unchanged, and so does one that has what an earlier write without a response has sent.
 */
function hasChanged(
  { proxy, operation, action }: RecordWrite,
  record: InnerRecord,
  change: Change,
  row: Data,
  isWhole: boolean = action === 'destroy' || needsWholeRow(proxy, operation, change.edits),
): boolean {
  const { written } = change;
  const base = change.seen ?? change.base;
  const { unconfirmedFields } = record[CORE] ?? {};
  const differs = (field: FieldDefinition) => {
    const theirs = field.raw(row);
    if (isAlikeRaw(field, theirs, field.raw(base))) return false;
    // An earlier write of this page had no response: the server has what that write has sent.
    const sentBefore = unconfirmedFields?.get(field)?.sent;
    if (sentBefore?.some((each) => isAlikeRaw(field, theirs, each.written.get(field)))) return false;
    // Rows of lists may have fewer members than the row that is read by itself.
    if (!written.has(field)) return isWhole && field.raw(base) !== undefined;
    const mine = written.get(field);
    if (field.embedding) return field.embedding.seen(field, [field.raw(base), theirs, mine]) !== theirs;
    return !isAlikeRaw(field, theirs, mine);
  };
  if (record[MODEL].fields.some((field) => field.persist && differs(field))) return true;
  // A request with the whole row takes along what nobody has declared; an erase would lose it.
  return action === 'destroy' && !unconfirmedFields?.size && isAsReceived(base) && differsInside(record, base, row);
}

/** Whether two rows have different values in a member that both have, and that is not the value of a field. */
export function differsInside({ [MODEL]: { fields } }: InnerRecord, first: Data, second: Data): boolean {
  const declared = new Set(fields.flatMap(({ path }) => (path?.length === 1 ? path : [])));
  return Object.keys(first).some(
    (name) => !declared.has(name) && Object.hasOwn(second, name) && !isSame(first[name], second[name]),
  );
}
