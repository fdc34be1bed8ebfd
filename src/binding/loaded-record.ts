import { isGone } from '../errors/data-error.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { wrongValue } from '../errors/option-rules.js';
import { isValidId } from '../http/url.js';
import type { ModelType } from '../model/field.js';
import { identityOf, ownKeyOf } from '../model/identity.js';
import type { Model } from '../model/model.js';
import { innerModel } from '../model/model-definition.js';
import { modelClass } from '../model/model-options.js';
import { keyOf } from '../model/origin.js';
import type { AnyId } from '../operation/actions.js';
import type { Session } from '../sync/session.js';
import { isObject } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import { ValueSource } from '../util/value-source.js';
import { ABANDONED_AFTER, isSameList, Owned, type OwnedSource, ownedSource } from './owned.js';
import { settled } from './read-actions.js';

/** Options of a record that a screen loads by its id. */
export interface LoadedOptions {
  /** Query parameters of the request. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Values for the `{name}`s of the proxy's `url`. */
  readonly pathParams?: Readonly<Record<string, string | number>> | undefined;
  /**
   * The session of the screen. A record that it has is shown at once, without a request: the same one as in its lists. It keeps the edits of
   * the record when no screen shows it any more.
   * @default none: the record is one of its own
   */
  readonly session?: Session | undefined;
}

/**
 * A record that a screen loads by its id, at one moment. Frozen. Screens that ask for the same record of the same class share one request and one
 * record. The request is aborted when the last of them goes.
 */
export interface LoadedSnapshot<M> {
  /** The record; undefined until it is loaded, without an id, and if the server does not have it. */
  readonly record: M | undefined;
  /** Whether a request is in flight, or about to begin because the screen is shown for the first time. */
  readonly loading: boolean;
  /** Why the last load failed. */
  readonly error: AnyDataError | undefined;
  /** Whether the server has no such record: it answered 404 or 410, or without a row. A record with edits stays in `record`. */
  readonly notFound: boolean;
  /** Whether there is no id, so that nothing is asked. */
  readonly idle: boolean;
  /** Loads the record again, and keeps its edits. Resolves with whether that succeeded; never rejects. */
  readonly reload: () => Promise<boolean>;
}

/**
 * Time in milliseconds for which an error is given again to whoever asks: a framework may render what has failed once more, and would else
 * load without end.
 */
const ERROR_KEPT_FOR = 500;

/** The loaded records of a class or session that screens show, by key. They are members of it, so that no module keeps a state. */
const LOADED: unique symbol = Symbol('repose.loaded');
type Loaded = Map<string, Owned<LoadedRecord>>;

/** Reads a record for the first time. Resolves with undefined if the server does not have it. */
type FirstRead = () => Promise<Model | undefined>;

/** Reads one record for all screens that show it. */
class LoadedRecord {
  private record: Model | undefined;
  private error: AnyDataError | undefined = undefined;
  private isAsked: boolean;
  /** The error that a framework was given, and whether it gets the same one again. */
  private given: { readonly error: AnyDataError | undefined; isKept: boolean } | undefined = undefined;
  private request: { readonly controller: AbortController; readonly promise: Promise<Model | undefined> } | undefined =
    undefined;
  private waiting: Promise<void> | undefined = undefined;
  readonly reload = (): Promise<boolean> => settled(this.load(), () => this.error);
  readonly source: ValueSource<LoadedSnapshot<Model>> = new ValueSource<LoadedSnapshot<Model>>((previous) => {
    const { record, error, reload } = this;
    const loading = this.request !== undefined || !this.isAsked;
    const notFound = isGone(error) || (!loading && !error && !record);
    const isSame =
      previous?.record === record &&
      previous?.error === error &&
      previous?.loading === loading &&
      previous?.notFound === notFound;
    return isSame && previous ? previous : Object.freeze({ record, loading, error, notFound, idle: false, reload });
  });

  constructor(
    private readonly model: ModelType<Model>,
    private readonly id: AnyId,
    private readonly options: LoadedOptions,
  ) {
    // A record that the session has is shown without a request.
    this.record = options.session?.getById(model, id);
    this.isAsked = this.record !== undefined;
  }

  /** Loads the record, unless that was done before. */
  start(read?: FirstRead): void {
    if (!this.isAsked) void settled(this.load(read), () => this.error);
  }

  /** Loads the record, or joins the request that is in flight. */
  load(read?: FirstRead): Promise<Model | undefined> {
    this.isAsked = true;
    if (this.request) return this.request.promise;
    const controller = new AbortController();
    const promise = read ? read() : this.loadAlone(controller.signal);
    this.request = { controller, promise };
    const end = (record: Model | undefined, error: AnyDataError | undefined) => {
      if (this.request?.controller !== controller) return;
      this.request = undefined;
      this.error = error;
      this.record = record;
      this.source.update();
    };
    void promise.then(
      (loaded) => end(loaded, undefined),
      (error: AnyDataError) => end(isGone(error) && !this.record?.dirty ? undefined : this.record, error),
    );
    this.source.update();
    return this.request.promise;
  }

  private loadAlone(signal: AbortSignal): Promise<Model> {
    const { record, id, model } = this;
    const { session, ...asked } = this.options;
    const options = { ...asked, signal } as object;
    if (record && !record.erased) return record.load(options);
    return session ? session.load(model, id, options) : innerModel(model).load(id, options);
  }

  /** Waits until the first load has ended. A framework that waits asks for the promise again and again. */
  wait(owner: Owned<LoadedRecord>): Promise<void> {
    this.waiting ??= this.waitOnce(owner);
    return this.waiting;
  }

  private async waitOnce(owner: Owned<LoadedRecord>): Promise<void> {
    const release = owner.hold();
    // A load tells its start at once, and a component must not update others while it is rendered.
    await undefined;
    await settled(this.load(), () => this.error);
    this.waiting = undefined;
    // The component that has waited is about to be rendered, and holds the record then.
    owner.endLater(ABANDONED_AFTER);
    release();
  }

  /**
   * Keeps the error for a short time only. Returns whether it is to be given now: after that time the framework waits for another load, also
   * if the record is kept because other screens show it.
   */
  giveUp(owner: Owned<LoadedRecord>): boolean {
    const { error, given: before } = this;
    if (before && before.error === error) return before.isKept;
    const given = { error, isKept: true };
    this.given = given;
    owner.endLater(ERROR_KEPT_FOR);
    const timer = setTimeout(() => {
      given.isKept = false;
    }, ERROR_KEPT_FOR);
    // In Node, where a page is rendered once, the timer must not keep the process alive.
    (timer as { unref?(): void }).unref?.();
    return true;
  }

  /** Ends the request in flight, because no screen shows the record any more. */
  end(): void {
    const { request } = this;
    this.request = undefined;
    request?.controller.abort();
  }
}

/** The source of a loaded record, for frameworks that wait for its first load. */
export interface LoadedSource<M> extends OwnedSource<LoadedSnapshot<M>> {
  /** Starts the first load, and resolves when it has ended, in one way or the other. */
  readonly wait: () => Promise<void>;
  /** Whether the framework is to get the error. If it has got the same one some time ago, it is to wait for another load. */
  readonly giveUp: () => boolean;
}

/**
 * The key of a loaded record: screens with the same key share one request and one record. Undefined without an id. Throws `DefinitionError`
 * for a value that is no model class.
 */
export function loadedKey(model: object, id: AnyId | null | undefined, options: LoadedOptions): string | undefined {
  const { session, ...asked } = options;
  if (!modelClass.holds(model)) throw wrongValue('The model of a loaded record', modelClass.expected, model);
  if (session !== undefined && !(isObject(session) && 'getById' in session))
    throw wrongValue('The session of a loaded record', 'a session', session);
  if (!isValidId(id)) return undefined;
  // The ids 7 and '7' are one record.
  const key = keyOf(identityOf(model), { id: idKey(id), ...asked });
  return session ? `${key} ${ownKeyOf(session)}` : key;
}

/** Whether the same record is asked for. */
export function isSameLoad(a: Parameters<typeof loadedKey>, b: Parameters<typeof loadedKey>): boolean {
  return isSameList(a, b) || loadedKey(...a) === loadedKey(...b);
}

/** Makes the source of the record with an id, which loads it when somebody begins to listen. */
export function loadedSource<M extends Model>(
  model: ModelType<M>,
  id: AnyId | null | undefined,
  options: LoadedOptions,
): LoadedSource<M> {
  return sharedSource<M>({ model, id, options });
}

/** A record that several screens may show. */
interface SharedLoad {
  readonly model: ModelType<Model>;
  readonly id: AnyId | null | undefined;
  readonly options?: LoadedOptions;
  /** How the record is read for the first time. @default alone, by its id */
  readonly read?: FirstRead;
}

/** Makes the source of a record that is loaded once for all screens that show it. */
export function sharedSource<M extends Model>(load: SharedLoad): LoadedSource<M> {
  const { model, id, options = {}, read } = load;
  const key = loadedKey(model, id, options);
  if (key === undefined) return NOTHING_ASKED;
  const loaded = loadedOf(options.session ?? model);
  const newOwner = (): Owned<LoadedRecord> => {
    const made: Owned<LoadedRecord> = new Owned(
      () => new LoadedRecord(model, id as AnyId, options),
      (record) => {
        record.end();
        if (loaded.get(key) === made) loaded.delete(key);
      },
    );
    loaded.set(key, made);
    return made;
  };
  const owner = (): Owned<LoadedRecord> => loaded.get(key) ?? newOwner();
  const source = ownedSource({ get: () => owner().get(), hold: () => owner().hold() }, (record: LoadedRecord) => ({
    source: record.source,
    start: () => record.start(read),
  }));
  return {
    ...(source as OwnedSource<LoadedSnapshot<M>>),
    wait: () => owner().get().wait(owner()),
    giveUp: () => owner().get().giveUp(owner()),
  };
}

const IDLE: LoadedSnapshot<never> = Object.freeze({
  ...{ record: undefined, loading: false, error: undefined, notFound: false, idle: true },
  reload: () => Promise.resolve(false),
});

/** Without an id, nothing is asked. */
const NOTHING_ASKED: LoadedSource<never> = {
  get: () => IDLE,
  subscribe: () => () => undefined,
  hold: () => () => undefined,
  wait: () => Promise.resolve(),
  giveUp: () => true,
};

/** The loaded records of a class or session. Each bound class has its own, because its headers may be those of another user. */
function loadedOf(owner: object): Loaded {
  if (!Object.hasOwn(owner, LOADED)) Object.defineProperty(owner, LOADED, { value: new Map() });
  return (owner as { readonly [LOADED]: Loaded })[LOADED];
}
