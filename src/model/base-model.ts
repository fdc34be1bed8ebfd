import { AddressError } from '../errors/address-error.js';
import { checkEvent } from '../errors/check-event.js';
import { DefinitionError } from '../errors/definition-error.js';
import { withErrorContext } from '../errors/error-context.js';
import { checkGiven, checkOptions } from '../errors/option-rules.js';
import { StateError } from '../errors/state-error.js';
import type { RecordId } from '../operation/actions.js';
import { Operation } from '../operation/operation.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { isObject } from '../util/data-path.js';
import { EventEmitter, type Listener } from '../util/event-emitter.js';
import { LongNumber } from '../util/long-number.js';
import type { ActionOptions, RecordLoadOptions, SaveOptions } from './action-options.js';
import type { ActionConfigs } from './action-types.js';
import { type CallOptions, type CallRules, checkCall, type Use, withCallbacks } from './call.js';
import { checkClassFields, checkFirst } from './class-fields.js';
import type { AnyModel, Fields, ModelType } from './field.js';
import { createReader } from './field-reader.js';
import type { CheckedFields, FreeNames, MatchesDto, ModelClass, Values, ValuesOf } from './infer.js';
import type { ModelConfig, ModelDefaults, ProxyTypes } from './model-config.js';
import { createDefinition, type ModelDefinition } from './model-definition.js';
import { CALL_RULES, DEFAULTS_RULES, LOAD_RULES, MODEL_RULES, SAVE_RULES } from './model-options.js';
import type { ModelPart } from './model-part.js';
import { hookOf, partMissing } from './part-list.js';
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
  reject,
  setField,
  valuesOf,
} from './record.js';
import { RecordMembers } from './record-members.js';
import { mergeSettings, type Settings } from './settings.js';
import { isSingleton, keepPathParams } from './singleton.js';
import { CHECKED, CORE, DEFINITION, FROM_ROW, ROW, SETTINGS } from './symbols.js';
import { eraseRecord, saveRecord } from './write.js';

/** Events of a record. */
export interface ModelEvents<M> {
  /** Fields were set. */
  set: { readonly record: M; readonly modified: Partial<ValuesOf<M>> };
  /** The edits became the base: by a save, or by `commit()`. */
  commit: { readonly record: M };
  /** The record is gone from the server. */
  erase: { readonly record: M };
}

const RECORD_EVENTS: readonly (keyof ModelEvents<never>)[] = ['set', 'commit', 'erase'];

const LOAD_CALL: CallRules = { owner: 'load', rules: LOAD_RULES, kind: 'call' };
const RELOAD_CALL: CallRules = { owner: 'load', rules: CALL_RULES, kind: 'call' };
const SAVE_CALL: CallRules = { owner: 'save', rules: SAVE_RULES, kind: 'call' };
const ERASE_CALL: CallRules = { owner: 'erase', rules: CALL_RULES, kind: 'call' };

type Inner = typeof BaseModel & { [DEFINITION]?: ModelDefinition; [SETTINGS]?: Settings };

/** `get`, `set` and `$`, behind the types that `define` gives them. */
const Members: new () => object = RecordMembers;

export interface BaseModel {
  /** What proxies ask of a record's model; no field can have this name. */
  readonly [MODEL]: RecordModel;
}

/**
 * A typed record, and what there is to its class: `class User extends Model.define({ fields, proxy }) {}`.
 * This one knows no proxy by name; `Model` of the main entry does.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: isolatedDeclarations takes no computed name in a class; every prototype that `define` makes has it
export class BaseModel extends Members {
  /** The proxies that `type` may name. A subclass adds its own by overriding this table. */
  static readonly proxyTypes: {} = {};
  /** Calls beyond create, read, update and destroy, as declared. */
  static readonly actions: {} = {};

  /**
   * What models that are defined on this class can do beyond the core: references, embedded models, declared actions, further
   * field types and namings, and what applications add. A subclass shortens or extends the list by overriding it.
   *
   * @example
   * ```ts
   * class AppModel extends Model {
   *   static override readonly parts = Model.parts.filter(({ name }) => name !== 'actions');
   * }
   * ```
   * @default none; the `Model` of the main entry has all parts of the package
   */
  static readonly parts: readonly ModelPart[] = [];

  /** How records of this class travel; made on first use. Throws `DefinitionError` where none is configured. */
  static get proxy(): DataProxy {
    const { [SETTINGS]: settings, [DEFINITION]: model = this } = this as Inner;
    if (!settings?.proxy) throw new DefinitionError('proxy-missing', { model: model.name });
    return settings.proxy();
  }

  /**
   * Declares a model: a class whose records have these fields under their names. Throws `DefinitionError`; so does the first record
   * of a class whose body repeats a field as a class field (`title!: string`), which would hide it.
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
    B extends typeof BaseModel,
    C = never,
    const A extends ActionConfigs = {},
    D = unknown,
  >(this: B, config: ModelConfig<F, B['proxyTypes'], C, A, D>): ModelClass<Values<F>, B, A> {
    const Base = this as Inner;
    checkOptions('define', config, MODEL_RULES, 'model');
    checkGiven('define.fields', config.fields, MODEL_RULES.fields);
    const settings = mergeSettings(Base[SETTINGS], config as ModelDefaults<ProxyTypes>, this);
    const merged = { ...config, ...settings, fields: config.fields as unknown as Fields };
    const definition = createDefinition(merged, Base[DEFINITION], BaseModel.prototype, this.parts);
    const Defined = derive(Base, definition.name, settings, definition);
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
   * The same model with other settings: a base for several models, or one bound to a user or tenant. `naming` holds for models
   * that are defined on it.
   *
   * @example
   * ```ts
   * const Mine = User.with({ proxy: { headers: { Authorization: token } } });
   * ```
   */
  static with<B extends typeof BaseModel, C = never>(this: B, config: ModelDefaults<B['proxyTypes'], C>): B {
    const Base = this as Inner;
    checkOptions('with', config, DEFAULTS_RULES, 'model');
    const settings = mergeSettings(Base[SETTINGS], config as ModelDefaults<ProxyTypes>, this);
    return derive(Base, this.name, settings, Base[DEFINITION]?.with(settings.messages, config.identifier)) as never;
  }

  /**
   * Reads a record by its id. Rejects with `AddressError`, before any request, for an id that is none (H5), and with
   * `ReadError` for an answer that holds no record, or a record with another id (H6) unless `anyId` is set.
   *
   * @example
   * ```ts
   * const user = await User.load(7); // GET /users/7
   * const me = await User.load('me', { anyId: true }); // GET /users/me, answered with record 7
   * ```
   */
  static load<M extends BaseModel>(this: ModelType<M>, id: RecordId, options?: RecordLoadOptions<M>): Promise<M>;
  /**
   * Reads the record of an address without ids, where the proxy is a `singleton` (H5). Rejects with `AddressError` where it is none.
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
  static load<M extends BaseModel>(this: ModelType<M>, options?: ActionOptions<M>): Promise<M>;
  static load<M extends BaseModel>(
    this: ModelType<M>,
    target?: RecordId | ActionOptions<M>,
    given?: RecordLoadOptions<M>,
  ): Promise<M> {
    const Class = this as unknown as Inner & ModelType<M> & { fromRow(row: object): M };
    const options = given ?? (isObject(target) ? target : undefined);
    return withCallbacks<M>(given && LOAD_CALL, options, undefined as never, async (use) => {
      const model = definitionOf(Class);
      const single = Class[SETTINGS]?.proxy !== undefined && isSingleton(Class.proxy);
      // Where records have ids, options in the place of one name none.
      const id = target === options ? undefined : target;
      const queued = (Class[SETTINGS]?.proxy && Class.proxy.hooks.keeper?.held(Class, id)) as M | undefined;
      if (queued) {
        // Its edits are yet to be sent: they stay on top.
        await loadRecord(inner(queued), () => Class.proxy, options as never, use);
        return queued;
      }
      const operation = use(new Operation({ ...(options as object), action: 'read', id, model }));
      const row = await withErrorContext(operation, model.messages, () => {
        // Where records have ids, an object in the place of an id is refused as an id.
        if (single && options === target) checkCall(LOAD_CALL, options);
        if (single && id !== undefined) throw new AddressError('id-singleton', { model: model.name });
        return readRow(model, Class.proxy, operation, given?.anyId);
      });
      const record = Class.fromRow(row);
      keepPathParams(inner(record), operation);
      return record;
    });
  }

  /**
   * The models that fields refer to, by field. In the class body, so that models may refer to each other. Needs the part `references`:
   * the first record of a class that overrides this without it is a `DefinitionError`.
   */
  static references(): Record<string, AnyModel> {
    return {};
  }

  /**
   * The record that a field refers to, by the model that `references()` names; undefined where the field is empty. Rejects with
   * `DefinitionError` for a field that refers to none, and where the model lacks the part `references`.
   */
  static async loadReference<B extends typeof BaseModel, K extends keyof ReturnType<B['references']>>(
    this: B,
    record: InstanceType<B>,
    name: K,
  ): Promise<InstanceType<ReturnType<B['references']>[K]> | undefined> {
    const { name: model, references } = definitionOf(this);
    if (!references) throw partMissing('references', model, `The reference '${String(name)}'`);
    return references.loadReference(this, record as BaseModel, name as string) as never;
  }

  /** A saved record from a row as the server sends it. Throws `DefinitionError` where a constructor keeps arguments to itself. */
  static fromRow<M extends BaseModel>(this: ModelType<M>, row: object): M {
    let cause: unknown;
    try {
      const record = new (this as unknown as new (row: object, how: typeof FROM_ROW) => M)(row, FROM_ROW);
      const made = inner(record);
      if (made[ROW] === row) {
        if (made[CHECKED] !== this) checkClassFields(made, this);
        return record;
      }
    } catch (error) {
      // Members of a row are no fields, where they are taken for values.
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
    const { name, references } = definitionOf(new.target);
    if (!references && new.target.references !== BaseModel.references)
      throw partMissing('references', name, '`references()`');
    if (checkFirst(record, new.target, options)) initRecord(record, {}, FROM_ROW);
    else initRecord(record, data, options);
  }

  /** Whether the record has never been saved to the server. */
  get phantom(): boolean {
    return inner(this)[CORE]?.phantom ?? false;
  }

  /** Whether any field that is sent differs from what the server last gave. */
  get dirty(): boolean {
    return isDirty(inner(this));
  }

  /** Whether the record was erased: it can be read, but neither changed nor sent. */
  get erased(): boolean {
    return inner(this)[CORE]?.erased ?? false;
  }

  /** The id; of a phantom, the temporary one. An id that no number can hold is the text of its digits. */
  getId(): RecordId | undefined {
    const { idField } = inner(this)[MODEL];
    const id = exactValue(inner(this), idField);
    return id instanceof LongNumber ? id.digits : (currentValue(inner(this), idField) as RecordId | undefined);
  }

  /**
   * Reads the record again. Edits stay on top. Calls at the same time without options of their own are one request. Rejects with a
   * `DataError`.
   */
  load(options?: ActionOptions<this>): Promise<this> {
    return call(this, RELOAD_CALL, options, shareLoad);
  }

  /**
   * Creates a phantom, updates a saved record; sends also what is not dirty. One write of a record is in flight at a time. A create
   * that is in doubt (`$.inDoubt`) is not repeated unless `repeat` says so, or a key makes it safe. Rejects with a `DataError`; see
   * its children.
   */
  save(options?: SaveOptions<this>): Promise<this> {
    return call(this, SAVE_CALL, options, saveRecord);
  }

  /**
   * Erases the record on the server; a phantom is just dropped, unless it is in doubt. A failed erase restores the record.
   */
  erase(options?: ActionOptions<this>): Promise<this> {
    return call(this, ERASE_CALL, options, eraseRecord);
  }

  /** Makes the edits the base, without a request. Throws `StateError` during a save. */
  commit(): void {
    commit(inner(this));
  }

  /** Drops the edits; during a write, those that it does not carry. */
  reject(): void {
    reject(inner(this));
  }

  /** Listens to the record; returns the function that stops it. */
  on<E extends keyof ModelEvents<this>>(event: E, listener: (event: ModelEvents<this>[E]) => void): () => void {
    checkEvent('a record', event, RECORD_EVENTS, listener, 'recordEvent');
    const core = coreOf(inner(this));
    core.events ??= new EventEmitter();
    return core.events.on(event, listener as Listener<unknown>);
  }

  /** The values by field, as JSON carries them. */
  toJSON(): object {
    return valuesOf(inner(this), inner(this)[MODEL].fields, (record, field) => {
      const value = currentValue(record, field);
      return typeof value === 'bigint' ? String(value) : value;
    });
  }
}

/** A class over another, with what it was told; records of it have the definition. */
function derive(
  Base: Inner,
  name: string,
  settings: Settings,
  definition: ModelDefinition | undefined,
): typeof BaseModel {
  const Derived = class extends (Base as unknown as new (
    ...args: unknown[]
  ) => object) {} as unknown as typeof BaseModel;
  const createActions = definition && hookOf(definition.parts, 'createActions');
  // No getters: every read of a field passes the first of these.
  Object.defineProperty(Derived.prototype, MODEL, { value: definition });
  Object.defineProperties(Derived, {
    name: { value: name },
    [SETTINGS]: { value: settings },
    [DEFINITION]: { value: definition },
    actions: { value: createActions?.(definition as ModelDefinition, Derived) ?? {} },
  });
  return Derived;
}

/** The definition behind a class. Throws `DefinitionError` for one that no `define` made. */
function definitionOf(model: Inner): ModelDefinition {
  const definition = model[DEFINITION];
  if (!definition) throw new DefinitionError('field-unknown', { field: 'id', model: model.name });
  return definition;
}

/** Runs an action of a record, by the proxy of its class. */
function call<M extends BaseModel>(
  record: M,
  rules: CallRules,
  options: ActionOptions<M> | undefined,
  action: (record: InnerRecord, proxy: () => DataProxy, options: CallOptions, use: Use) => Promise<unknown>,
): Promise<M> {
  return withCallbacks(rules, options, record, async (use) => {
    await action(inner(record), () => (record.constructor as typeof BaseModel).proxy, options as CallOptions, use);
    return record;
  });
}
