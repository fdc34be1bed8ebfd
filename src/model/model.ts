import { checkCall, checkEvent, checkGiven, checkOptions, hintOf, inDevelopment } from '../dev/checks.js';
import { checkBeforeFirst, checkClassFields } from '../dev/class-fields.js';
import { showInConsole } from '../dev/console-form.js';
import { inWords, withErrorContext } from '../errors/error-context.js';
import { AddressError, DefinitionError, StateError } from '../errors/mistakes.js';
import type { AnyId, RecordId } from '../operation/actions.js';
import { Operation } from '../operation/operation.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { RestProxy } from '../proxy/rest-proxy.js';
import { isData } from '../util/data-path.js';
import { LongNumber } from '../util/long-number.js';
import { Notifier } from '../util/notifier.js';
import type { ActionOptions, CallbackOptions, ReadOptions, RecordLoadOptions, SaveOptions } from './action-options.js';
import type { ActionConfigs } from './action-types.js';
import { type CallOptions, type CheckCall, type OperationListener, runCall } from './call.js';
import type { IdParts } from './composite-field.js';
import type { Fields, ModelType, Reference, Referred } from './field.js';
import { createReader } from './field-reader.js';
import type {
  CheckedFields,
  CompositeMembers,
  FieldName,
  FreeNames,
  MatchesDto,
  ModelClass,
  Values,
  ValuesOf,
} from './infer.js';
import type { ModelConfig, ModelDefaults, ProxyTypes } from './model-config.js';
import {
  createDefinition,
  innerModel,
  type ModelDefinition,
  referencesBy,
  wrongReference,
} from './model-definition.js';
import {
  CALL_RULES,
  DEFAULTS_RULES,
  FIELDS_RULE,
  LOAD_RULES,
  MODEL_RULES,
  READ_RULES,
  SAVE_RULES,
} from './model-options.js';
import { rejectUnsaved } from './queued-write.js';
import { loadRecord, readRow, shareLoad } from './read.js';
import {
  commit,
  coreOf,
  currentValue,
  exactValue,
  type InnerRecord,
  initRecord,
  inner,
  isDirty,
  setField,
  valuesOf,
} from './record.js';
import { RecordMembers } from './record-state.js';
import { mergeSettings, type Settings } from './settings.js';
import { markIncomplete } from './settle.js';
import { isSingleton, keepPathParams } from './singleton.js';
import { ACTION, CHECKED, CORE, DEFINITION, FROM_ROW, ROW, SETTINGS } from './symbols.js';
import { eraseRecord, saveRecord } from './write.js';

/** Events of a record. */
export interface ModelEvents<M> {
  /** Fields of the record were set. */
  set: { readonly record: M; readonly modified: Partial<ValuesOf<M>> };
  /** The edits became the base, by a save or by `commit()`. */
  commit: { readonly record: M };
  /** The record was erased on the server. */
  erase: { readonly record: M };
}

const RECORD_EVENTS: readonly (keyof ModelEvents<never>)[] = ['set', 'commit', 'erase'];

const checkLoad: CheckCall = (options) => {
  checkCall('load', options, LOAD_RULES);
};
const checkReload: CheckCall = (options) => {
  checkCall('load', options, READ_RULES);
};
const checkSave: CheckCall = (options) => {
  checkCall('save', options, SAVE_RULES);
};
const checkErase: CheckCall = (options) => {
  checkCall('erase', options, CALL_RULES);
};

type Inner = typeof Model & {
  [DEFINITION]?: ModelDefinition;
  [SETTINGS]?: Settings;
};

/** The class of `get`, `set` and `$`. Its own types are hidden: `define` gives these members the types of the record's fields. */
const Members: new () => object = RecordMembers;

export interface Model {
  /** The record's model, as proxies see it. No field can have this name. */
  readonly [MODEL]: RecordModel;
}

/**
 * The base class of models. It knows the built-in proxies by name:
 * `class User extends Model.define({ fields, proxy }) {}`.
 *
 * @example
 * ```ts
 * class User extends Model.define({
 *   fields: { id: 'int', name: 'string' },
 *   proxy: { type: 'rest', url: '/users', noCache: false },
 * }) {}
 * const user = await User.load(7); // GET /users/7
 * user.name = 'Grace';
 * await user.save(); // PUT /users/7 {"id":7,"name":"Grace"}
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: isolatedDeclarations takes no computed name in a class; every prototype that `define` makes has it
export class Model extends Members {
  static {
    showInConsole(this.prototype);
  }

  /**
   * The proxy classes by the names that the option `type` accepts. A base class of an application adds names of its own.
   *
   * @example
   * ```ts
   * class AppModel extends Model {
   *   static override readonly proxyTypes = { ...Model.proxyTypes, memory: MemoryProxy };
   * }
   * ```
   */
  static readonly proxyTypes: { ajax: typeof AjaxProxy; rest: typeof RestProxy } = { ajax: AjaxProxy, rest: RestProxy };
  /** The declared actions of the model as functions. */
  static readonly actions: {} = {};

  /** The proxy of this class, made on first use. Throws `DefinitionError` if none is configured. */
  static get proxy(): DataProxy {
    const { [SETTINGS]: settings, [DEFINITION]: model = this } = this as Inner;
    if (!settings?.proxy) {
      const { messages } = settings ?? {};
      throw new DefinitionError('proxy-missing', { model: model.name }, { messages });
    }
    const { proxy } = settings;
    return (proxy.made ??= proxy.make());
  }

  /**
   * Declares a model: returns a class whose records have the fields as members. Throws `DefinitionError` for a wrong
   * declaration. The first record of the class throws it too, if the class body repeats a field as a class field such as
   * `title!: string`, which would hide the model's field.
   *
   * @example
   * ```ts
   * class User extends Model.define({
   *   name: 'user',
   *   fields: { id: 'int', name: 'string', joined: 'date' },
   *   proxy: { type: 'rest', url: '/api/users' },
   * }) {}
   * ```
   */
  static define<
    const F extends Fields & FreeNames<F> & CheckedFields<F> & MatchesDto<F, D>,
    B extends typeof Model,
    C = never,
    const A extends ActionConfigs = {},
    D = unknown,
    const P extends NoInfer<keyof F & string> | IdParts<readonly NoInfer<keyof F & string>[]> = never,
  >(
    this: B,
    config: ModelConfig<F, B['proxyTypes'], C, A, D, P>,
  ): ModelClass<Values<F, P>, B, A, CompositeMembers<F, P>> {
    const Base = this as Inner;
    const given = config as ModelDefaults<ProxyTypes> | undefined;
    const messages = { ...Base[SETTINGS]?.messages, ...given?.messages };
    const { settings, definition } = inWords(messages, () => {
      checkOptions('define', config, MODEL_RULES, 'model');
      checkGiven('define.fields', config.fields, FIELDS_RULE);
      const settings = mergeSettings(Base[SETTINGS], config, this);
      const merged = { ...config, ...settings, fields: config.fields as Fields };
      return { settings, definition: createDefinition(merged, Base[DEFINITION], Model.prototype) };
    });
    const Defined = derive(Base, definition.name, settings, definition);
    // Vue does not wrap an object with this member in a proxy: a store would not know the proxy of its record.
    Object.defineProperty(Defined.prototype, '__v_skip', { configurable: true, value: true });
    for (const field of definition.fields) {
      const read = createReader(field, currentValue);
      Object.defineProperty(Defined.prototype, field.name, {
        configurable: true,
        enumerable: true,
        get(this: InnerRecord) {
          return read(this);
        },
        set(this: InnerRecord, value: unknown) {
          setField(this, field, value);
        },
      });
    }
    return Defined as never;
  }

  /**
   * Returns the same model with other settings: a base class for several models, or a model for one user or tenant. `naming` applies to
   * models that are defined on the returned class. Throws `DefinitionError` for wrong options.
   *
   * @example
   * ```ts
   * const Mine = User.with({ proxy: { headers: { Authorization: token } } });
   * ```
   */
  static with<B extends typeof Model, C = never>(this: B, config: ModelDefaults<B['proxyTypes'], C>): B {
    const Base = this as Inner;
    const settings = inWords(Base[SETTINGS]?.messages, () => {
      checkOptions('with', config, DEFAULTS_RULES, 'model');
      return mergeSettings(Base[SETTINGS], config, this);
    });
    return derive(Base, this.name, settings, Base[DEFINITION]?.with(settings.messages, config.identifier)) as B;
  }

  /**
   * Reads a record by its id. Rejects with `AddressError`, before any request, for an invalid id such as null or '', and with `ReadError`
   * if the response contains no record, or a record with another id and `anyId` is not set.
   *
   * @example
   * ```ts
   * const user = await User.load(7); // GET /users/7
   * const me = await User.load('me', { anyId: true }); // GET /users/me, answered with record 7
   * ```
   */
  static load<M extends Model>(this: ModelType<M>, id: AnyId, options?: RecordLoadOptions<M>): Promise<M>;
  /**
   * Reads the record of an address without ids, if the proxy is a `singleton`. Rejects with `AddressError` if it is not.
   *
   * @example
   * ```ts
   * class Settings extends Model.define({
   *   fields: { theme: 'string' },
   *   proxy: { url: '/lists/{listId}/settings', singleton: true },
   * }) {}
   * const settings = await Settings.load({ pathParams: { listId: 'two' } }); // GET /lists/two/settings
   * ```
   */
  static load<M extends Model>(this: ModelType<M>, options?: CallbackOptions<M>): Promise<M>;
  static load<M extends Model>(
    this: ModelType<M>,
    idOrOptions?: AnyId | CallbackOptions<M>,
    secondArgument?: RecordLoadOptions<M>,
  ): Promise<M> {
    const Class = innerModel(this);
    const isGiven = secondArgument !== undefined;
    const options = isGiven ? secondArgument : isData(idOrOptions) ? idOrOptions : undefined;
    const messages = Class[SETTINGS]?.messages;
    const check = isGiven ? checkLoad : undefined;
    const run = async (onOperation: OperationListener): Promise<M> => {
      const model = definitionOf(Class);
      const single = Class[SETTINGS]?.proxy !== undefined && isSingleton(Class.proxy);
      // If the first argument holds the options, there is no id.
      const id = idOrOptions === options ? undefined : idOrOptions;
      const queuedRecord = (Class[SETTINGS]?.proxy && Class.proxy.hooks.keeper?.held(Class, id)) as M | undefined;
      if (queuedRecord) {
        // The outbox still has writes of this record, so the row is read into the existing record and its edits stay.
        await loadRecord(inner(queuedRecord), { ...(options as object), proxy: Class.proxy }, onOperation);
        return queuedRecord;
      }
      const operation = onOperation(new Operation({ ...(options as object), action: 'read', id, model }));
      const row = await withErrorContext(operation, model.messages, () => {
        // Only a singleton takes options as first argument; with ids, such an object is refused as an invalid id.
        if (single && options === idOrOptions) checkLoad(options);
        if (single && id !== undefined) throw new AddressError('id-singleton', { model: model.name });
        return readRow(model, Class.proxy, operation);
      });
      const record = Class.fromRow(row);
      keepPathParams(inner(record), operation);
      if (operation.fields) markIncomplete(inner(record));
      return record;
    };
    return runCall(check, options, messages, run, options);
  }

  /**
   * The models that fields refer to, by field name, each alone or with options: `{ orderId: { model: Order, nested: 'lines' } }`. It is a method, overridden in the class body, so that models can refer to
   * each other. Each field must be declared by `reference()`: otherwise the first record of the class throws `DefinitionError`.
   *
   * @example
   * ```ts
   * class Comment extends Model.define({ fields: { id: 'int', postId: reference('int') }, proxy: { url: '/comments' } }) {
   *   static override references(): { postId: typeof Post } {
   *     return { postId: Post };
   *   }
   * }
   * ```
   */
  static references(): Record<string, Reference> {
    return {};
  }

  /**
   * Loads the record that a field refers to, with the model that `references()` gives for the field. Resolves with undefined if
   * the field is empty. For a record in a session, the record comes from the session if that has it, and calls of one turn share a request.
   * Rejects with `DefinitionError` if `references()` does not name the field, and with the `DataError` of the request.
   *
   * @example
   * ```ts
   * const line = await Line.load(1);
   * const order = await Line.loadReference(line, 'orderId'); // GET /orders/7
   * show(order?.customer ?? 'a line without an order');
   * ```
   */
  static async loadReference<B extends typeof Model, K extends keyof ReturnType<B['references']>>(
    this: B,
    record: InstanceType<B>,
    name: K,
  ): Promise<Referred<ReturnType<B['references']>[K]> | undefined> {
    const { references, messages, name: model } = definitionOf(this);
    if (references) return references.loadReference(this, record as Model, name as string) as never;
    const hint = hintOf(String(name), Object.keys(this.references()), 'its references');
    throw new DefinitionError('reference-unknown', { field: String(name), model, hint }, { messages });
  }

  /**
   * Makes a saved record from a row as the server sends it. Throws `DefinitionError` if a constructor of the class does not
   * pass its arguments on to `super()`.
   *
   * @example
   * ```ts
   * const ada = User.fromRow({ id: 7, name: 'Ada' });
   * show(ada.phantom, ada.dirty); // false false
   * ```
   */
  static fromRow<M extends Model>(this: ModelType<M>, row: object): M {
    let cause: unknown;
    try {
      const record = new (innerModel(this))(row, FROM_ROW);
      const made = inner(record);
      if (made[ROW] === row) {
        if (made[CHECKED] !== this) checkClassFields(made, this);
        return record;
      }
    } catch (error) {
      // A constructor that passes the row on without the second argument makes its members look like values of unknown fields.
      if (!(error instanceof StateError)) throw error;
      cause = error;
    }
    throw new DefinitionError('constructor-arguments', { model: this.name }, { cause });
  }

  constructor(data: object = {}, options: { phantom?: boolean } = {}) {
    super();
    const record = inner(this);
    if (record[CHECKED] === new.target) {
      initRecord(record, data, options);
      return;
    }
    const definition = definitionOf(new.target);
    for (const name of Object.keys(new.target.references())) {
      const field = definition.field(name);
      if (!field || !referencesBy(field)) throw wrongReference(name, definition);
    }
    if (checkBeforeFirst(record, new.target, options)) initRecord(record, {}, FROM_ROW);
    else initRecord(record, data, options);
  }

  /** Whether the record has never been saved to the server. */
  get phantom(): boolean {
    return inner(this)[CORE]?.phantom ?? false;
  }

  /** Whether any field that writers send differs from the value that the server last sent. */
  get dirty(): boolean {
    return isDirty(inner(this));
  }

  /** Whether the record was erased. An erased record can be read, but it can no longer be changed or saved. */
  get erased(): boolean {
    return inner(this)[CORE]?.erased ?? false;
  }

  /**
   * The id; for a phantom, the temporary id. An id that a JavaScript number cannot hold is returned as the text of its digits.
   *
   * @example
   * ```ts
   * const grace = new User({ name: 'Grace' });
   * show(grace.getId()); // a temporary id, such as -1
   * await grace.save();
   * show(grace.getId()); // 8: for a key that never changes, take `grace.$.key`
   * ```
   */
  getId(): RecordId | undefined {
    const { idField } = inner(this)[MODEL];
    const id = exactValue(inner(this), idField);
    return id instanceof LongNumber ? id.digits : (currentValue(inner(this), idField) as RecordId | undefined);
  }

  /**
   * Reads the record again and keeps its edits. Several calls without options at the same time share one request. A response to a read that
   * started before the last write of the record ended is outdated, and is ignored. Rejects with a `DataError`.
   *
   * @example
   * ```ts
   * user.name = 'Grace';
   * await user.load(); // GET /users/7
   * show(user.name, user.team); // 'Grace' 'B': the edit stays, the rest is new
   * ```
   */
  load(options?: ReadOptions<this>): Promise<this> {
    return call(this, checkReload, options, shareLoad);
  }

  /**
   * Saves the record: creates a phantom, updates a saved record. A record without edits is sent, too. Only one write of a record is in
   * flight at a time. An unconfirmed create (`$.unconfirmed`) is repeated only with the option `repeat`, or with an idempotency key, which
   * makes the repetition safe. Rejects with a `DataError`.
   *
   * It sends the edits that the record had at the call; what is edited later stays an edit. Saves that wait become one request with the
   * values of the last of these calls. A save that finds nothing left to send, or that `reject()` has taken back, sends nothing and
   * resolves.
   *
   * @example
   * ```ts
   * const grace = new User({ name: 'Grace' });
   * await grace.save(); // POST /users {"name":"Grace"}
   * show(grace.id, grace.phantom); // 8 false
   * ```
   */
  save(options?: SaveOptions<this>): Promise<this> {
    if (!options?.children) return call(this, checkSave, options, saveRecord);
    return call(this, checkSave, options, (record, given, onOperation) => {
      const { params, headers, signal, url, pathParams, repeat } = options;
      if (url !== undefined || pathParams !== undefined || repeat !== undefined)
        throw new DefinitionError('children-save', { model: record[MODEL].name });
      const writes = record[CORE]?.children?.writes;
      if (writes) return writes.save({ params, headers, signal });
      return this.phantom || this.dirty ? saveRecord(record, given, onOperation) : Promise.resolve();
    });
  }

  /**
   * Erases the record on the server. A phantom is erased without a request, unless it is unconfirmed. If the erase fails, the record is
   * restored. Rejects with a `DataError`.
   *
   * It waits for a save in flight.
   *
   * @example
   * ```ts
   * await user.erase(); // DELETE /users/7
   * show(user.erased); // true
   * ```
   */
  erase(options?: ActionOptions): Promise<this> {
    const record = inner(this);
    return runCall(checkErase, options, record[MODEL].messages, async () => {
      // Its children must not be changed for an erase that is refused.
      record[CORE]?.refuseWrite?.();
      const erase = () => eraseRecord(record, options as CallOptions);
      // Stores hide a record in the same tick, unless its children have to be written first.
      await (record[CORE]?.children?.writes?.writeBeforeErase(options as CallOptions)?.then(erase) ?? erase());
      return this;
    });
  }

  /**
   * Makes the edits the base, without a request. Throws `StateError` during a save.
   *
   * @example
   * ```ts
   * user.team = 'B';
   * await fetch('/users/7/team', { method: 'POST', body: 'B' }); // a call of the application has saved the edit
   * user.commit();
   * show(user.dirty); // false
   * ```
   */
  commit(): void {
    commit(inner(this));
  }

  /**
   * Drops the edits; with names, those of these fields only. What a write in flight carries stays. Without names, saves that still wait
   * behind it are taken back too; with names, they are sent as they were asked for. What an outbox has queued stays as it was saved:
   * `outbox.discard()` takes that back. Throws `StateError` for a name that is no field.
   *
   * @example
   * ```ts
   * user.set({ name: 'Grace', age: 40 });
   * user.reject('age');
   * show(user.$.modified); // { name: 'Grace' }
   * user.reject();
   * show(user.name, user.dirty); // 'Ada' false
   * ```
   */
  reject(...names: FieldName<this>[]): void {
    rejectUnsaved(inner(this), names.length > 0 ? names : undefined);
  }

  /**
   * Adds a listener for an event of the record. Returns the function that removes the listener.
   *
   * @example
   * ```ts
   * const stop = user.on('commit', () => show(`${user.name} was saved`));
   * await user.set('name', 'Grace').save();
   * stop();
   * ```
   */
  on<E extends 'set' | 'commit' | 'erase'>(event: E, listener: (event: ModelEvents<this>[E]) => void): () => void {
    inDevelopment(inWords, inner(this)[MODEL].messages, () =>
      checkEvent('a record', event, RECORD_EVENTS, listener, 'recordEvent'),
    );
    const core = coreOf(inner(this));
    core.listeners ??= new Notifier();
    return core.listeners.on(event, listener);
  }

  /**
   * The values by field name, in a form that JSON can carry: a `bigint` becomes a text.
   *
   * @example
   * ```ts
   * show(JSON.stringify(user)); // {"id":7,"name":"Ada"}: the names of the fields, not those of the server
   * ```
   */
  toJSON(): object {
    return valuesOf(inner(this), inner(this)[MODEL].fields, (record, field) => {
      const value = currentValue(record, field);
      return typeof value === 'bigint' ? String(value) : value;
    });
  }
}

/** Makes a subclass with settings and a definition of its own. */
function derive(Base: Inner, name: string, settings: Settings, definition: ModelDefinition | undefined): typeof Model {
  const Derived = class extends Base {};
  // A plain value instead of a getter, because every read of a field uses this member.
  Object.defineProperty(Derived.prototype, MODEL, { value: definition });
  Object.defineProperties(Derived, {
    name: { value: name },
    [SETTINGS]: { value: settings },
    [DEFINITION]: { value: definition },
    actions: { value: definition ? actionsOf(definition, Derived) : {} },
  });
  return Derived;
}

/** The functions of the declared actions. */
function actionsOf(definition: ModelDefinition, Class: typeof Model): Readonly<Record<string, unknown>> {
  const calls = Object.entries(definition.actions).map(([name, config]) => [
    name,
    config[ACTION](definition, Class, name, config),
  ]);
  return Object.freeze(Object.fromEntries(calls));
}

/** The definition of a model class. Throws `DefinitionError` for a class that was not made by `define()`. */
function definitionOf(model: ModelType<Model> & { readonly [DEFINITION]?: ModelDefinition }): ModelDefinition {
  const definition = model[DEFINITION];
  if (!definition) throw new DefinitionError('model-undefined', { model: model.name });
  return definition;
}

/** Runs a load or save of a record with the proxy of its class. */
function call<M extends Model>(
  record: M,
  check: CheckCall,
  options: CallbackOptions<M> | undefined,
  action: (record: InnerRecord, options: CallOptions, onOperation: OperationListener) => Promise<unknown>,
): Promise<M> {
  const run = async (onOperation: OperationListener) => {
    await action(inner(record), options as CallOptions, onOperation);
    return record;
  };
  return runCall(check, options, inner(record)[MODEL].messages, run, options, record);
}
