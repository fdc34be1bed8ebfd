import type { WriteAction } from '../extension/write-hook.js';
import type { RecordId } from '../operation/actions.js';
import type { OperationConfig } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { callParameters, copyParams } from '../operation/params-config.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import type { FieldDefinition } from './field-definition.js';
import { randomUuid } from './identifier.js';
import { coreOf, type InnerRecord, type LiveRows, twinOf, withWritten, writeEdits } from './record.js';
import type { CoreOfView, Entry, ReadonlyEdits } from './record-core.js';
import { ROW } from './symbols.js';

/**
 * The address, parameters and headers that the call of a write has given, and the parameters that the functions of its proxy returned at
 * the call. Functions for headers are called for each request.
 */
export type CallRequest = Readonly<
  Pick<OperationConfig, 'url' | 'params' | 'pathParams' | 'headers' | 'calledParameters'>
>;

/** Captures what a call adds to its request. `options` may have parameters of the proxy that an earlier call has captured. */
export function captureCall(proxy: DataProxy, options: CallRequest = NO_CALL): CallRequest {
  const { url, params, pathParams, headers, calledParameters = callParameters(proxy) } = options;
  return {
    url,
    params: copyParams(params),
    pathParams: copyParams(pathParams),
    headers: copyParams(headers),
    calledParameters,
  };
}

/** Makes a copy by `{ ...change }` no `Change` for the compiler, because the copy would not be frozen. */
declare class Made {
  private readonly isChange: true;
}

/**
 * The values, address and parameters that one write of a record sends, as they were when the application asked for the write. It never changes.
 * Only {@link captureChange} makes one, and only {@link changeWith} makes another one of it.
 */
export interface Change extends Made {
  /** When it was captured, on the model's clock of reads and writes. No two changes of one model have the same time. */
  readonly at: number;
  readonly action: WriteAction;
  /** The id as the server knows it; undefined for a new record. */
  readonly id: unknown;
  /** The row on which the edits were made. */
  readonly base: Data;
  /**
   * The row that the application knew when it asked for the write, if a row that was read since has another value where the change writes. The
   * request is made conditional on this row.
   */
  readonly seen: Data | undefined;
  /** The edited fields and their values, in the form in which the application set them; embedded records are copies. */
  readonly edits: ReadonlyEdits;
  /** The values as the record holds them, with its own embedded records: they show later whether the application has replaced them. */
  readonly live: ReadonlyEdits;
  /** The embedded records in `live` as they were; undefined for a model without such fields. */
  readonly liveRows: LiveRows | undefined;
  /** The edited fields and their values in their JSON form, made from `base`. */
  readonly written: ReadonlyEdits;
  /** The values that an outbox has stored, in their JSON form, before they were merged with those of the server. */
  readonly saved?: ReadonlyEdits | undefined;
  /** The change that a repeat sends, if later writes have added to what this create has written. */
  readonly asSent?: Change | undefined;
  /** The temporary id of a new record. */
  readonly temporaryId: unknown;
  /** The `pathParams` of a record without an id, because its proxy is a `singleton`. */
  readonly pathParams: Readonly<Record<string, unknown>> | undefined;
  readonly call: CallRequest;
  /** The proxy of the write. */
  readonly proxy: DataProxy | undefined;
}

/** Values that a change takes instead of the record's edits, or from an earlier form of itself. */
export type GivenValues = Pick<Change, 'edits'> &
  Partial<Pick<Change, 'at' | 'seen' | 'live' | 'liveRows' | 'temporaryId'>>;

/** Captures what a write of a record sends now: the record's edits, or the given values. `call` is captured already. */
export function captureChange(
  record: InnerRecord,
  action: WriteAction,
  proxy: DataProxy | undefined,
  call: CallRequest = NO_CALL,
  given: GivenValues | undefined = undefined,
): Change {
  const core = coreOf(record);
  const { phantom } = core;
  const { [MODEL]: model, [ROW]: base } = record;
  // A create that is asked for once more has the values of the attempts before it.
  const own = phantom && core.unconfirmed ? core.edits : core.typed;
  const edits = given?.edits ?? model.embeds?.copyEdits(own) ?? new Map(own);
  const live = model.embeds?.live(edits, given?.live ?? (given ? core.edits : own)) ?? edits;
  return Object.freeze({
    at: given?.at ?? (model.clock.now += 1),
    action,
    id: phantom ? undefined : model.serverId(record),
    base,
    seen: given?.seen,
    edits,
    live,
    liveRows: given?.liveRows ?? model.embeds?.rowsInside(live),
    written: writeEdits(record, edits),
    temporaryId: phantom ? (given?.temporaryId ?? core.change?.temporaryId ?? core.temporaryId) : undefined,
    pathParams: core.pathParams,
    call,
    proxy,
  } satisfies Omit<Change, never>) as object as Change;
}

/** Captures an erase of a record. It has no values, but the row that is to be erased. */
export function eraseOf(record: InnerRecord, proxy: DataProxy, call: CallRequest | undefined): Change {
  return captureChange(record, 'destroy', proxy, call, { edits: NO_EDITS, live: NO_EDITS });
}

/** Whether two changes were called with equal parameters of the proxy. If not, such as for another tenant, neither gets values of the other. */
export function haveSameParameters(one: Pick<Change, 'call'>, other: Pick<Change, 'call'>): boolean {
  return isSame(one.call.calledParameters, other.call.calledParameters);
}

/** A change with other values: after an earlier write, a read, or the create of a record to which it refers. */
export function changeWith(change: Change, values: Partial<Change>): Change {
  return Object.freeze({ ...change, ...values }) as Change;
}

/** The values that a view of a record shows. */
export type ViewedValues = Pick<Change, 'base' | 'edits'> &
  Partial<Pick<Change, 'temporaryId' | 'pathParams'>> &
  Pick<CoreOfView, 'unconfirmedFields'>;

/** The values that a record has now, to view them later. */
export function capturedValues(record: InnerRecord): ViewedValues {
  const { edits } = coreOf(record);
  return { base: record[ROW], edits: record[MODEL].embeds?.copyEdits(edits) ?? new Map(edits) };
}

/** Whether the record's present values may differ from those of a change. */
export function isEditedSince(record: InnerRecord, change: Change): boolean {
  const { entries, typed } = coreOf(record);
  if (change.base !== record[ROW] || typed.size > 0) return true;
  for (const each of entries) if (each.change.at !== change.at) return true;
  // An embedded record has edits of its own.
  for (const { embedding } of change.edits.keys()) if (embedding) return true;
  return false;
}

/** The values of two changes of a record as one change: where both have one, that of the second. */
export function folded(first: Change, second: Change, at: number = second.at): Change {
  const merged = (of: 'edits' | 'live' | 'written') => new Map([...first[of], ...second[of]]);
  return changeWith(second, {
    at,
    seen: first.seen ?? second.seen,
    edits: merged('edits'),
    live: merged('live'),
    written: merged('written'),
    liveRows: second.liveRows && new Map([...(first.liveRows ?? []), ...second.liveRows]),
  });
}

/**
 * The change that the write of an entry sends: its own, with what was saved before it and has not begun. Undefined if it has begun or ended, or was
 * taken back.
 */
export function changeToSend(record: InnerRecord, entry: Entry | undefined): Change | undefined {
  if (entry?.state !== 'waiting') return undefined;
  const { entries } = coreOf(record);
  let { change } = entry;
  if (change.action !== 'destroy')
    for (const { change: first, state } of entries.slice(0, entries.indexOf(entry)).reverse())
      if (state === 'waiting' && first.action !== 'destroy' && haveSameParameters(first, change))
        change = folded(first, change);
  return change;
}

/** A change without its values of some fields. */
export function without(change: Change, fields: ReadonlyEdits): Change {
  const left = (values: ReadonlyEdits) => new Map([...values].filter(([field]) => !fields.has(field)));
  return changeWith(change, { edits: left(change.edits), live: left(change.live), written: left(change.written) });
}

/** A record that has exactly the values of a change, from which a request can be built, and which validators can read. */
export function viewOf(record: InnerRecord, values: ViewedValues): InnerRecord {
  const core = coreOf(record);
  const { base, edits, temporaryId = core.temporaryId, pathParams = core.pathParams, unconfirmedFields } = values;
  const made = core.phantom && { phantom: true, temporaryId: temporaryId as RecordId | undefined };
  // Extensions that see the view in a request must recognise the record: by its key, and by their slots.
  const key = (core.key ??= randomUuid());
  const unconfirmed = unconfirmedFields && { unconfirmedFields };
  return twinOf(record, base, { ...made, edits: new Map(edits), pathParams, key, slots: core.slots, ...unconfirmed });
}

/** Copies a value of a field as its row has it: the embedded records in the copy have no edits. */
export function copyFieldValue(field: FieldDefinition, value: unknown): unknown {
  return field.embedding ? field.read(field.embedding.type.write?.(value, undefined)) : value;
}

/** Whether a change has values that writers send. */
export function sendsAnything({ edits }: Change): boolean {
  return [...edits.keys()].some((field) => field.persist);
}

/** The row that the server has if it has taken a change: its base with the values that were sent. */
export function rowAfter({ base, written }: Pick<Change, 'base' | 'written'>): Data {
  return withWritten(base, written);
}

const NO_CALL: CallRequest = Object.freeze({});
const NO_EDITS: ReadonlyEdits = new Map();
