import type { DataError } from '../errors/data-error.js';
import type { NetworkError } from '../errors/network-error.js';
import type { ValidationError } from '../errors/validation-error.js';
import { isClear, isNotDone } from '../http/status.js';
import { isValidId } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { type Data, hasPath, isData, writePath } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { checkSame } from './check-same.js';
import { type Answered, createdId } from './created-id.js';
import type { FieldDefinition } from './field-definition.js';
import type { ModelDefinition } from './model-definition.js';
import { coreOf, type InnerRecord, isBase, isConfirmed, rebase, withWritten, writeEdits } from './record.js';
import type { Edits, RecordCore } from './record-core.js';
import { forewarn, notify, type RecordChange } from './record-owner.js';
import { CORE, ROW } from './symbols.js';

/** What of its errors tells of a write. */
type Failure = DataError & Partial<Pick<ValidationError, 'issues' | 'status'> & Pick<NetworkError, 'inDoubt'>>;

// The only place that changes what the server gave, and what becomes of the edits, when an operation ends.

/** A model's clock, one on: what begins now is later than all that has ended. */
export function tick({ clock }: ModelDefinition): number {
  return (clock.now += 1);
}

/** Keeps what a write sends of a record, to settle against. */
export function markSent(record: InnerRecord): void {
  const core = coreOf(record);
  core.willSend?.();
  core.sent = writeEdits(record);
}

/**
 * A create or update went well: the base is now what was sent and what came back; edits made since stay on top.
 * Throws `ReadError` for a create without an id, and for an update that is answered with another record.
 */
export function settleSaved(record: InnerRecord, answered: Answered, reply: unknown, sentId?: unknown): void {
  const { resultSet } = answered;
  const model = record[MODEL];
  const core = coreOf(record);
  const sent = core.sent as Edits;
  const row = isData(reply) ? reply : {};
  const previousId = model.serverId(record);
  if (!core.phantom && isValidId(previousId) && !answered.singleton) {
    // The next request would go to a stranger (H6).
    const ids = sent.has(model.idField) ? [previousId, sent.get(model.idField)] : [previousId];
    checkSame(model, ids, row, '. Load it to see what the server has');
  }
  const before = withWritten(record, sent);
  const hasId = model.rowId(row) !== undefined;
  const id = hasId || !core.phantom ? model.idField.raw(hasId ? row : before) : createdId(model, answered, sentId);
  // A reply that holds every member is the row; a smaller one (`{ ok, id, rev }`) adds to what was sent.
  const sentNames = Object.keys(before).filter((name) => before[name] !== undefined && !isLocal(model, name));
  const complete = isData(reply) && sentNames.every((name) => Object.hasOwn(row, name));
  const next: Data = complete ? { ...row } : { ...before, ...knownOf(row, before, model) };
  if (id !== undefined && model.idField.path) writePath(next, model.idField.path, id);
  forewarn(record);
  core.confirm((field) => complete || sent.has(field));
  record[ROW] = before;
  rebase(record, next, sent);
  core.settledAt = tick(model);
  core.etag = resultSet?.etagOf?.(reply) ?? '';
  if (core.phantom) core.created = core.settledAt;
  // Servers add members at a create: until the whole row is known, a PUT would erase them (H7).
  if (core.phantom) core.partial = !complete || (sentNames.length === 0 && !holdsMore(row, model));
  else if (complete && Object.keys(row).some((name) => !Object.hasOwn(before, name))) core.partial = false;
  core.phantom = false;
  model.phantoms?.keep(id);
  core.temporaryId = undefined;
  core.sent = undefined;
  dropSettled(record, sent);
  settle(record, { kind: 'saved', previousId });
  core.events?.emit('commit', { record });
}

/**
 * A write failed: everything is as before, and says why. A create that is in doubt keeps what was sent; a record that was to be
 * erased is back.
 */
export function settleFailed(record: InnerRecord, error: DataError, operation?: Operation): void {
  const core = coreOf(record);
  const kept = operation?.action === 'destroy';
  if (!kept) forewarn(record);
  judge(core, error, operation);
  // First, so that an edit that was set back in flight stays: the update may have been done.
  if (!core.phantom && core.doubt && core.sent) core.markUnconfirmed(core.sent.keys(), tick(record[MODEL]));
  if (!kept && !(core.phantom && core.doubt)) forget(record);
  settle(record, { kind: kept ? 'restored' : 'failed' }, error);
}

/** A create that was in doubt made no record. An erase that waited for the decision has nothing left to do. */
export function settleUnmade(record: InnerRecord): void {
  forewarn(record);
  forget(record);
  if (coreOf(record).journal?.erases(record)) return settleErased(record);
  settle(record, { kind: 'failed' });
}

/** Nothing of a record is on its way any more. */
function forget(record: InnerRecord): void {
  const core = coreOf(record);
  core.sent = core.createEdits = core.createId = undefined;
  dropSettled(record);
}

/** Keeps of a write that failed whether the server may have done it all the same. */
function judge(core: RecordCore, error: DataError, operation: Operation | undefined = error.operation): void {
  const { phantom, doubt, createKey } = core;
  const { code, inDoubt, issues } = error as Failure;
  // An answer to another call, which keeps this one from being sent, says nothing of it.
  const { status = operation?.response?.status ?? 0 } =
    error.reason === 'rate-pause' ? { status: 0 } : (error as Failure);
  const lost =
    inDoubt ||
    (code === 'read' && !isNotDone(status)) ||
    (code === 'definition' && status > 0) ||
    (status > 0 ? !isClear(status) : !phantom && ['network', 'timeout', 'abort'].includes(code));
  // What is said of a repeat says nothing of the create before; only to values that it judges, a key has come for the first time.
  const keyed = createKey !== undefined && (!doubt || doubt.operation?.idempotencyKey === createKey);
  const refused = createKey !== undefined && status > 0 && Boolean(issues?.length);
  const judged = keyed && refused;
  // The doubt about another request stays, and the next create is another one: with the values as they are then.
  if (refused && !keyed) core.createKey = core.createEdits = undefined;
  // A 401, a 403 or a redirect does not say whether the earlier attempt succeeded.
  const mute = phantom ? !judged : status === 401 || status === 403 || isNotDone(status);
  if (lost || (mute && (doubt || operation?.unclear))) core.doubt = ((phantom || !lost) && doubt) || error;
  else if (status > 0 && status !== 425 && status !== 429) core.doubt = core.createKey = undefined;
}

/** An erase went well. */
export function settleErased(record: InnerRecord): void {
  const core = coreOf(record);
  core.erased = true;
  core.settledAt = tick(record[MODEL]);
  settle(record, { kind: 'erased' });
  core.events?.emit('erase', { record });
}

/** A write has ended: keeps why it failed, and tells the owners. */
function settle(record: InnerRecord, change: RecordChange, error?: DataError): void {
  const core = coreOf(record);
  core.error = core.failure = error;
  if (!error) core.doubt = core.createKey = core.createEdits = undefined;
  // Before the owners hear of it: they show that the record is not being saved any more.
  core.settleLane();
  notify(record, change);
}

/**
 * A read gave a row. Returns false for a read that started before the last write settled: it is too old to say anything.
 * A `partial` row merges into a row that is known.
 */
export function settleRead(record: InnerRecord, row: Data, startedAt: number, partial: boolean = false): boolean {
  const core = record[CORE];
  if (core && (core.settledAt > startedAt || core.erased)) return false;
  const previousId = record[MODEL].serverId(record);
  const next = partial ? { ...record[ROW], ...row } : row;
  forewarn(record);
  core?.confirm(({ path }) => !partial || (path !== undefined && hasPath(row, path)), startedAt);
  const before = record[ROW];
  rebase(record, next);
  // What is local only was there before, and still is.
  const same = isSame(before, record[ROW]);
  if (core) {
    // An ETag speaks of the row that it came with. What a part says anew makes no whole: it still guards what else there is.
    if (partial ? core.etag === '' && !same : !(core.etag && same)) core.etag = undefined;
    if (!partial) core.partial = false;
    if (!core.sent) dropSettled(record);
  }
  notify(record, { kind: 'loaded', previousId, same });
  return true;
}

/** What a reply that is not the row says of it. */
function knownOf(reply: Data, before: Data, model: ModelDefinition): Data {
  const known = Object.entries(reply).filter(([name]) => Object.hasOwn(before, name) || fieldsIn(model, name).length);
  return Object.fromEntries(known);
}

/** Whether a row holds a declared field other than the id: `{ id: 1 }` may be all that a server tells of a new row. */
function holdsMore(row: Data, { fields, idField }: ModelDefinition): boolean {
  return fields.some((field) => field !== idField && field.path !== undefined && hasPath(row, field.path));
}

/** Whether no reply needs to hold a member: it is never sent, or is the id that comes in `Location`. */
function isLocal(model: ModelDefinition, member: string): boolean {
  const fields = fieldsIn(model, member);
  return fields.length > 0 && fields.every((field) => !field.persist || field === model.idField);
}

/** The fields that lie in a member of the row. */
function fieldsIn({ fields }: ModelDefinition, member: string): FieldDefinition[] {
  return fields.filter(({ path }) => path?.[0] === member);
}

/** Edits that are the base now are none any more. */
export function dropSettled(record: InnerRecord, sent?: Edits): void {
  const core = coreOf(record);
  const { edits } = core;
  if (!edits) return;
  // Not where nothing was sent: perhaps because a value cannot be written.
  const now = sent && writeEdits(record);
  for (const [field, value] of edits) {
    const settled = sent?.has(field) && (isSame(sent.get(field), now?.get(field)) || isBase(record, field, value));
    if (settled || isConfirmed(record, field, value)) edits.delete(field);
  }
  if (edits.size === 0) core.edits = undefined;
}
