import { checkOptions } from '../dev/checks.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { type Rule, wholeFrom } from '../errors/option-rules.js';
import type { HeadersConfig } from '../http/headers.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Operation } from '../operation/operation.js';
import {
  idFieldsOf,
  MODEL,
  modelOf,
  type OperationRecord,
  type RecordModel,
  type WireField,
} from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { ResultSet } from '../operation/result-set.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import { explainMessage } from '../proxy/explain.js';
import type { Clock } from '../util/clock.js';
import { isObject } from '../util/data-path.js';
import { beginningOf, plainOf, plainText, plainValues } from './plain-values.js';
import type { ProxyObserver } from './proxy-observers.js';
import { addressParts, headerParts, reasonedParts } from './reasons.js';
import type {
  OperationKind,
  OperationState,
  PlainValues,
  ReasonedPart,
  RecordedAttempt,
  RecordedBody,
  RecordedError,
  RecordedOperation,
  RecordedQuery,
  RecordedRecord,
  Recording,
} from './recording.js';
import { SecretMask } from './secrets/secret-mask.js';
import { type OutboxState, outboxState, type StoreState, storeState } from './states.js';
import { type InspectTarget, Targets } from './targets.js';

/** Options of {@link record} and of an inspector. */
export interface RecorderOptions {
  /** Number of operations that are kept; the oldest are forgotten first. @default 200 */
  limit?: number;
  /** Number of characters that are kept of each body. A recording of longer bodies can be read, but not replayed. @default 200_000 */
  bodyLimit?: number;
  /**
   * Names of fields, members and parameters that hold secrets, such as `['iban']`: exports mask their values. Passwords, tokens, cookies
   * and headers of a sign-in are masked in any case. @default []
   */
  secrets?: readonly string[];
}

/** Records what happens between an application and its servers. It has no screen, and works in tests and on servers too. */
export interface Recorder {
  /** The operations, oldest first. The list and its items are frozen; a change makes others. Secrets are not masked. */
  readonly operations: readonly RecordedOperation[];
  /** Number of operations that were forgotten, to stay within the limit. */
  readonly forgotten: number;
  /** The stores that exist, as they are now. */
  readonly stores: readonly StoreState[];
  /** The outboxes, as they are now. */
  readonly outboxes: readonly OutboxState[];
  readonly isPaused: boolean;
  /** The names of fields that the application counts as secret, and the names of the members that they are mapped to. */
  readonly secrets: readonly string[];
  /**
   * Adds a subject: see {@link record}. A recorder that was disposed of takes no further ones.
   *
   * @example
   * ```ts
   * import { record } from 'repose/devtools';
   *
   * const recorder = record(session);
   * recorder.add(users, outbox); // a store without a session, and what waits to be sent
   * ```
   */
  add(...targets: readonly InspectTarget[]): void;
  /**
   * Calls a function after changes, once for all changes of a tick. Returns the function that ends this.
   *
   * @example
   * ```ts
   * const stop = recorder.subscribe(() => show(recorder.operations.at(-1)?.state));
   * ```
   */
  subscribe(listener: () => void): () => void;
  /**
   * Records no further operations until `resume()`. Running ones are recorded to their end.
   *
   * @example
   * ```ts
   * recorder.pause();
   * await users.load(); // not recorded
   * recorder.resume();
   * ```
   */
  pause(): void;
  /** Records operations again, after `pause()`. */
  resume(): void;
  /**
   * Forgets all operations.
   *
   * @example
   * ```ts
   * recorder.clear();
   * await user.save();
   * show(recorder.operations.map(({ kind }) => kind)); // ['update']
   * ```
   */
  clear(): void;
  /**
   * An operation without its secrets.
   *
   * @example
   * ```ts
   * const failed = recorder.operations.find(({ state }) => state === 'failed');
   * if (failed) await fetch('/log', { method: 'POST', body: JSON.stringify(recorder.masked(failed)) });
   * ```
   */
  masked(operation: RecordedOperation): RecordedOperation;
  /**
   * The recording as plain data, with its secrets masked: for `JSON.stringify`, `toTest` and `replay` of `repose/testing`.
   *
   * @example
   * ```ts
   * await navigator.clipboard.writeText(JSON.stringify(recorder.recording())); // for the report of an error
   * ```
   */
  recording(): Recording;
  /** Ends the recording for good, and lets go of everything. */
  dispose(): void;
}

/** The rules of the options of recorders. */
export const RECORDER_RULES: Readonly<Record<keyof RecorderOptions, Rule>> = {
  limit: wholeFrom(1),
  bodyLimit: wholeFrom(0),
  secrets: {
    expected: 'a list of names',
    holds: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== ''),
  },
};

/** Most attempts of one operation that are kept, the last ones. */
const MOST_ATTEMPTS = 100;
/** Most records of one operation that are kept. */
const MOST_RECORDS = 50;

/**
 * Records all operations of a session, of stores, models and outboxes: what is sent and why, what comes back, and what becomes of the records.
 * Nothing changes for the application; without a recorder, nothing of it is in the bundle. Throws `DefinitionError` for a target that cannot
 * be inspected, and for wrong options.
 *
 * @example
 * ```ts
 * import { record } from 'repose/devtools';
 *
 * const recorder = record([session], { secrets: ['iban'] });
 * await session.load(User, 7);
 * console.log(recorder.operations.map(({ kind, model, state }) => `${kind} ${model}: ${state}`));
 * recorder.dispose();
 * ```
 */
export function record(targets: InspectTarget | readonly InspectTarget[], options: RecorderOptions = {}): Recorder {
  checkOptions('record', options, RECORDER_RULES);
  const recorder = new OperationRecorder(options);
  try {
    recorder.add(...(Array.isArray(targets) ? (targets as readonly InspectTarget[]) : [targets as InspectTarget]));
  } catch (error) {
    recorder.dispose();
    throw error;
  }
  return recorder;
}

/** The recorder that was given, or one that is made for the targets. */
export function asRecorder(
  targets: InspectTarget | readonly InspectTarget[] | Recorder,
  options: RecorderOptions,
): { readonly recorder: Recorder; readonly isOwn: boolean } {
  const isOwn = !(isObject(targets) && 'recording' in targets && 'subscribe' in targets);
  return { recorder: isOwn ? record(targets as InspectTarget, options) : (targets as Recorder), isOwn };
}

/** An operation while it is recorded. */
interface Entry {
  shown: RecordedOperation;
  readonly operation: WeakRef<Operation>;
  /** The models and ids of the records that are shown again when they have settled. */
  readonly followed: {
    readonly model: RecordModel;
    readonly id: unknown;
    readonly record: WeakRef<object> | undefined;
  }[];
  readonly now: () => number;
  /** When the last attempt ended; undefined: none was made. */
  lastEnd: number | undefined;
}

class OperationRecorder implements Recorder {
  private readonly entries: Entry[] = [];
  private readonly byOperation: WeakMap<Operation, Entry> = new WeakMap();
  private readonly targets: Targets;
  private readonly mask: SecretMask;
  /** The requests of earlier calls with an operation that is run again. */
  private readonly earlier: WeakSet<ProxyRequest> = new WeakSet();
  /** The models whose mapped names the mask knows. */
  private readonly learned: WeakSet<RecordModel> = new WeakSet();
  private readonly limit: number;
  private readonly bodyLimit: number;
  private readonly listeners: Set<() => void> = new Set();
  private list: readonly RecordedOperation[] | undefined = undefined;
  private isScheduled = false;
  private isDisposed = false;
  private counted = 0;
  forgotten = 0;
  isPaused = false;

  constructor({ limit = 200, bodyLimit = 200_000, secrets = [] }: RecorderOptions) {
    this.limit = limit;
    this.bodyLimit = bodyLimit;
    this.mask = new SecretMask(secrets);
    const observer: ProxyObserver = {
      started: (operation, proxy) => this.started(operation, proxy),
      built: (operation) => this.built(operation),
      attempted: (request, init, layers) => this.attempted(request, init, layers),
      sent: (request, url, init) => this.sent(request, url, init),
      received: (request, end) => this.received(request, end),
      answered: (request, result) => this.answered(request, result),
      ended: (operation) => this.ended(operation),
    };
    this.targets = new Targets(observer, () => this.changed());
  }

  get operations(): readonly RecordedOperation[] {
    return (this.list ??= Object.freeze(this.entries.map(({ shown }) => shown)));
  }

  get stores(): readonly StoreState[] {
    return this.targets.allStores.flatMap(({ store, number }) => safely(() => storeState(store, number)) ?? []);
  }

  get outboxes(): readonly OutboxState[] {
    return [...this.targets.outboxes].flatMap((outbox) => safely(() => outboxState(outbox)) ?? []);
  }

  get secrets(): readonly string[] {
    return this.mask.fields;
  }

  add(...targets: readonly InspectTarget[]): void {
    if (this.isDisposed) return;
    for (const target of targets) this.targets.add(target);
  }

  subscribe(listener: () => void): () => void {
    const own = () => listener();
    this.listeners.add(own);
    return () => this.listeners.delete(own);
  }

  pause(): void {
    this.isPaused = true;
    this.changed();
  }

  resume(): void {
    this.isPaused = false;
    this.changed();
  }

  clear(): void {
    this.entries.length = 0;
    this.forgotten = 0;
    this.list = undefined;
    this.changed();
  }

  masked(operation: RecordedOperation): RecordedOperation {
    return this.mask.operation(operation);
  }

  recording(): Recording {
    for (const entry of this.entries) this.showRecords(entry);
    return {
      format: 'repose-recording',
      version: 1,
      recordedAt: new Date().toISOString(),
      secrets: this.secrets,
      operations: this.operations.map((each) => this.masked(each)),
      forgotten: this.forgotten,
    };
  }

  dispose(): void {
    this.isDisposed = true;
    this.targets.dispose();
    this.listeners.clear();
    this.clear();
  }

  // ── The course of an operation ──

  private started(operation: Operation, proxy: AjaxProxy): void {
    if (this.isPaused || this.isDisposed) return;
    const { clock } = proxy;
    const now = forwards(clock);
    const kind = kindOf(operation);
    this.counted += 1;
    const { modelName } = operation;
    const entry: Entry = {
      operation: new WeakRef(operation),
      followed: [],
      now,
      lastEnd: undefined,
      shown: Object.freeze<RecordedOperation>({
        number: this.counted,
        kind,
        state: 'running',
        ...(modelName !== undefined && { model: modelName }),
        startedAt: now(),
        ...(kind !== 'call' && operation.action === 'read' && { query: queryOf(operation) }),
        ...{ parts: [], attempts: [], records: [], moreRecords: 0 },
        ...(proxy.noCache && { cacheParam: proxy.cacheString }),
      }),
    };
    this.byOperation.set(operation, entry);
    const { request } = operation;
    if (request?.collected) this.earlier.add(request);
    this.entries.push(entry);
    safely(() => this.learnNames(modelOf(operation)));
    while (this.entries.length > this.limit) {
      this.entries.shift();
      this.forgotten += 1;
    }
    this.list = undefined;
    this.changed();
    // Parts of the application that fail here, such as a getter of a record, must not hide the operation.
    if (operation.action !== 'read' && kind !== 'call') safely(() => this.noteWritten(entry, operation));
  }

  private built(operation: Operation): void {
    const entry = this.byOperation.get(operation);
    const { request } = operation;
    if (!entry || !request || this.earlier.has(request)) return;
    this.update(entry, { parts: this.partsOf(entry, request) });
  }

  /** Masks the members of rows that are mapped to fields whose names mean secrets. */
  private learnNames(model: RecordModel | undefined): void {
    if (!model || this.learned.has(model)) return;
    this.learned.add(model);
    const names = mappedNames(model.fields, this.mask).filter((name) => !this.mask.isSecret(name));
    if (names.length > 0) this.mask.learn([...new Set(names)]);
  }

  private attempted(request: ProxyRequest, init: RequestInit, layers: readonly HeadersConfig[]): void {
    const entry = this.byOperation.get(request.operation);
    if (entry) this.update(entry, { parts: this.partsOf(entry, request, { init, layers }) });
  }

  /** The parts of a built request. Its headers are known when it is sent. */
  private partsOf(
    { shown: { kind } }: Entry,
    request: ProxyRequest,
    sent?: { readonly init: RequestInit; readonly layers: readonly HeadersConfig[] },
  ): readonly ReasonedPart[] {
    const parts = addressParts(request);
    const headers = sent ? headerParts(request, sent.layers, new Headers(sent.init.headers)) : [];
    return reasonedParts({ ...explainMessage(request), parts, headers }, kind).map((part) =>
      part.place === 'body' ? { ...part, text: beginningOf(part.text, this.bodyLimit) } : part,
    );
  }

  /** Notes the records of a write as they are before it. */
  private noteWritten(entry: Entry, { records, action }: Operation): void {
    const noted = records.slice(0, MOST_RECORDS).map((record): RecordedRecord => {
      const model = record[MODEL];
      const id = model.serverId(record);
      entry.followed.push({ model, id, record: undefined });
      const values = plainValues(record);
      const row = model.row(record);
      const edits = [...model.edits(record)];
      const before = edits.map(([field]) => [field.name, field.raw(row)]);
      return {
        id: record.phantom ? null : plainOf(id),
        ...(!record.phantom && { before: plainValues({ ...values, ...Object.fromEntries(before) }) }),
        ...(!record.phantom && { row: plainValues(row) }),
        ...(action !== 'destroy' && { sent: sentValues(record, values) }),
      };
    });
    this.update(entry, { records: noted, moreRecords: Math.max(0, records.length - MOST_RECORDS) });
  }

  private sent(
    { operation, method, encoded }: ProxyRequest,
    url: string,
    { headers, body, method: used }: RequestInit,
  ): void {
    const entry = this.byOperation.get(operation);
    if (!entry) return;
    const at = entry.now();
    const { startedAt, attempts } = entry.shown;
    const kept = encoded && body !== undefined && body !== null ? this.bodySent(encoded) : undefined;
    const attempt: RecordedAttempt = {
      at: at - startedAt,
      waited: at - (entry.lastEnd ?? startedAt),
      method: used ?? method,
      url,
      headers: headersOf(headers),
      ...(kept && { body: kept }),
    };
    this.update(entry, { attempts: [...attempts, attempt].slice(-MOST_ATTEMPTS) });
  }

  private bodySent({ body, text }: NonNullable<ProxyRequest['encoded']>): RecordedBody {
    return typeof body === 'string' ? this.bodyOf(body) : { ...this.bodyOf(text), only: 'form' };
  }

  private bodyOf(text: string): RecordedBody {
    const { length } = text;
    return length > this.bodyLimit
      ? { text: beginningOf(text, this.bodyLimit), length, only: 'beginning' }
      : { text, length };
  }

  private received(
    { operation }: ProxyRequest,
    { response, error }: { readonly response?: HttpResponse; readonly error?: unknown },
  ): void {
    const entry = this.byOperation.get(operation);
    const last = entry?.shown.attempts.at(-1);
    // An attempt that failed before it was sent is no attempt.
    if (!entry || !last || last.duration !== undefined) return;
    entry.lastEnd = entry.now();
    const ended: RecordedAttempt = {
      ...last,
      duration: entry.lastEnd - entry.shown.startedAt - last.at,
      ...(response && {
        status: response.status,
        responseHeaders: headersOf(response.headers),
        responseBody: this.bodyReceived(response),
      }),
      ...(error !== undefined && { error: errorOf(error) }),
    };
    this.update(entry, { attempts: [...entry.shown.attempts.slice(0, -1), ended] });
  }

  private bodyReceived(response: HttpResponse): RecordedBody {
    const { text, streamed } = response;
    if (streamed !== undefined) return { text: '', length: 0, only: 'stream' };
    if (typeof text === 'string' && text !== '') return this.bodyOf(text);
    // A body with long numbers is parsed a second time when it is read, so only bodies without text are.
    const { body } = response;
    if (typeof Blob === 'function' && body instanceof Blob) return { text: '', length: body.size, only: 'blob' };
    return this.bodyOf('');
  }

  private answered({ operation }: ProxyRequest, result: ResultSet): void {
    const entry = this.byOperation.get(operation);
    if (!entry) return;
    const { rows, count, total } = result;
    this.update(entry, { rows: count, ...(total !== undefined && { total }) });
    const model = modelOf(operation);
    if (operation.action !== 'read' || !model) return;
    const [own] = operation.records as readonly (OperationRecord | undefined)[];
    entry.followed.length = 0;
    const find = this.targets.finder(model);
    const noted = rows.slice(0, MOST_RECORDS).map((row): RecordedRecord => {
      const id = model.rowId(row);
      const record = own ?? find(id);
      entry.followed.push({ model, id, record: record && new WeakRef(record) });
      return { id: plainOf(id), row: plainValues(row), ...(record && { before: plainValues(record) }) };
    });
    this.update(entry, { records: noted, moreRecords: Math.max(0, rows.length - MOST_RECORDS) });
  }

  private ended(operation: Operation): void {
    const entry = this.byOperation.get(operation);
    if (!entry) return;
    const { error, resultSet } = operation;
    const { startedAt, attempts } = entry.shown;
    const duration = entry.now() - startedAt;
    const outbox = safely(() => this.outboxCounts());
    this.update(entry, {
      state: stateOf(error, attempts.length),
      duration,
      ...(error && { error: errorOf(error) }),
      ...(resultSet && entry.shown.rows === undefined && { rows: resultSet.count }),
      ...(outbox && { outbox }),
    });
    // The records settle in the steps that follow, and are shown as they are after those.
    setTimeout(() => this.showRecords(entry), 0);
  }

  private outboxCounts(): RecordedOperation['outbox'] {
    const all = [...this.targets.outboxes].map(({ status }) => status.get());
    if (all.length === 0) return undefined;
    return {
      waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
      failed: all.reduce((sum, { failed }) => sum + failed, 0),
    };
  }

  /** Notes the values that the records of an operation have after it, once. */
  private showRecords(entry: Entry): void {
    const { shown, followed } = entry;
    if (shown.duration === undefined || followed.length === 0) return;
    const written = entry.operation.deref()?.records ?? [];
    const after = (noted: RecordedRecord, at: number): RecordedRecord => {
      const { model, id, record } = followed[at] as Entry['followed'][number];
      const own = shown.kind === 'read' ? (record?.deref() ?? this.targets.find(model, id)) : written[at];
      if (!own || (own as { readonly erased?: boolean }).erased) return noted;
      const values = plainValues(own);
      const isEdited = (own as { readonly dirty?: boolean }).dirty === true;
      return {
        ...noted,
        ...(isEdited && { isEdited }),
        ...(shown.kind === 'create' && { id: plainOf(model.serverId(own as OperationRecord)) }),
        after: values,
      };
    };
    const records = shown.records.map((noted, at) => safely(() => after(noted, at)) ?? noted);
    followed.length = 0;
    this.update(entry, { records });
  }

  // ── Listeners ──

  private update(entry: Entry, part: Partial<RecordedOperation>): void {
    entry.shown = Object.freeze({ ...entry.shown, ...part });
    this.list = undefined;
    this.changed();
  }

  private changed(): void {
    if (this.isScheduled || this.listeners.size === 0) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      for (const listener of [...this.listeners]) {
        try {
          listener();
        } catch {
          // An error of an inspector must not reach the application.
        }
      }
    });
  }
}

/** The values that a write sends: the edits, or all values of a new record but its temporary id. */
function sentValues(record: OperationRecord, values: PlainValues): PlainValues {
  const model = record[MODEL];
  const ids = model.naturalId ? [] : idFieldsOf(model).map(({ name }) => name);
  const names = record.phantom
    ? Object.keys(values).filter((name) => !ids.includes(name))
    : [...model.edits(record).keys()].map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

/** A call prepares its request itself, before the proxy builds the address. */
function kindOf({ action, counts, request }: Operation): OperationKind {
  if (counts) return 'count';
  return request && !request.collected ? 'call' : action;
}

function stateOf(error: unknown, attempts: number): OperationState {
  if (error === undefined) return 'done';
  if (hasErrorBrand(error) && error.code === 'abort') return 'aborted';
  return attempts === 0 ? 'refused' : 'failed';
}

/** The last names in the paths of secret fields. Names that say nothing, as in `pin.value`, are left out: the name before them says it. */
function mappedNames(fields: readonly WireField[], mask: SecretMask): string[] {
  return fields.flatMap(({ name, path, embedding }) => {
    const inner = embedding ? mappedNames(embedding.fields, mask) : [];
    const last = path
      ?.filter((part) => typeof part === 'string' && !/^(?:value|values|data|content|text|id|name)$/i.test(part))
      .at(-1);
    return mask.isSecret(name) && last !== undefined ? [...inner, String(last)] : inner;
  });
}

/** An error as plain data. Errors of the application may have getters that throw. */
function errorOf(error: unknown): RecordedError {
  const unreadable: RecordedError = { name: 'Error', code: 'unknown', message: '(not readable)' };
  return (
    safely(() => {
      if (!(error instanceof Error)) return { name: 'Error', code: 'unknown', message: plainText(error) };
      const { name, message } = error;
      const { issues } = error as { issues?: readonly ({ readonly message?: unknown } | null)[] };
      return {
        name: plainText(name),
        code: hasErrorBrand(error) ? plainText(error.code) : 'unknown',
        message: plainText(message),
        ...(Array.isArray(issues) &&
          issues.length > 0 && { issues: issues.slice(0, MOST_RECORDS).map((each) => plainText(each?.message)) }),
      };
    }) ?? unreadable
  );
}

/** The result of a function; undefined if it throws. */
function safely<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** A clock that never goes back: the clock of a computer can be set while an operation runs. */
function forwards(clock: Clock): () => number {
  let offset = 0;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const time = clock.now();
    if (!Number.isFinite(time)) return Math.max(last, 0);
    if (time + offset < last) offset = last - time;
    last = time + offset;
    return last;
  };
}

function queryOf(operation: Operation): RecordedQuery {
  const { id, page, start, limit, sorters, filters, grouper, search, fields, params, pathParams, link } = operation;
  const [record] = operation.records as readonly (OperationRecord | undefined)[];
  const given = record ? record[MODEL].serverId(record) : id;
  const all = { id: given, page, start, limit, sorters, filters, grouper, search, fields, params, pathParams, link };
  const named = Object.entries(all).filter(([, value]) => value !== undefined);
  return plainValues(Object.fromEntries(named)) as RecordedQuery;
}

function headersOf(headers: RequestInit['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(new Headers(headers));
}
