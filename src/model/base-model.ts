import { DefinitionError } from '../errors/definition-error.js';
import { within } from '../errors/within.js';
import type { RecordId } from '../operation/actions.js';
import { Operation } from '../operation/operation.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Listener } from '../util/event-emitter.js';
import type { ActionOptions } from './action-options.js';
import type { ActionConfigs } from './action-types.js';
import { requestOptions, withCallbacks } from './call.js';
import type { AnyModel, Fields, ModelType } from './field.js';
import type { CheckedFields, FreeNames, MatchesDto, ModelClass, Values, ValuesOf } from './infer.js';
import type { Kit } from './kit.js';
import type { ModelConfig, ModelDefaults, ProxyTypes } from './model-config.js';
import { ModelDefinition } from './model-definition.js';
import { loadRecord, readRow } from './read.js';
import { commit, currentValue, eventsOf, type InnerRecord, initRecord, inner, isDirty, reject } from './record.js';
import { related } from './related.js';
import { isReserved } from './reserved.js';
import { mergeSettings, proxyOf, type Settings } from './settings.js';
import { CORE, DEFINITION, FROM_ROW, SETTINGS } from './symbols.js';
import { installFields } from './typed.js';
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

type Inner = typeof BaseModel & { [DEFINITION]?: ModelDefinition; [SETTINGS]?: Settings };

export interface BaseModel {
  /** What proxies ask of a record's model; no field can have this name. */
  readonly [MODEL]: RecordModel;
}

/**
 * A typed record, and what there is to its class: `class User extends Model.define({ fields, proxy }) {}`.
 * This one knows no proxy by name; `Model` of the main entry does.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: isolatedDeclarations takes no computed name in a class; every prototype that `define` makes has it
export class BaseModel {
  /** The proxies that `type` may name. A subclass adds its own by overriding this table. */
  static readonly proxyTypes: {} = {};
  /** Calls beyond create, read, update and destroy, as declared. */
  static readonly actions: {} = {};

  /** What this class can do beyond the core. */
  static readonly kit: Kit = {};

  /** How records of this class travel; made on first use. Throws `DefinitionError` where none is configured. */
  static get proxy(): DataProxy {
    const model = this as Inner;
    return proxyOf(model[SETTINGS], this.proxyTypes as ProxyTypes, model[DEFINITION]?.name ?? this.name);
  }

  /** The models that fields refer to, by field. In the class body, so that models may refer to each other. */
  static references(): Record<string, AnyModel> {
    return {};
  }

  /**
   * Declares a model: a class whose records have these fields under their names. Throws `DefinitionError`.
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
    const Base = this as unknown as Inner & (new (...args: unknown[]) => BaseModel);
    const settings = mergeSettings(Base[SETTINGS], config as ModelDefaults<ProxyTypes>, this.proxyTypes as ProxyTypes);
    const merged = { ...config, ...settings.given, fields: config.fields as unknown as Fields };
    const definition = new ModelDefinition(merged, Base[DEFINITION], isReserved, this.kit);
    const Defined = class extends Base {};
    const actions = actionsOf(definition, Defined as unknown as typeof BaseModel);
    for (const [key, value] of [
      [DEFINITION, definition],
      [SETTINGS, settings],
      ['actions', actions],
    ] as const) {
      Object.defineProperty(Defined, key, { value, configurable: true });
    }
    Object.defineProperty(Defined, 'name', { value: definition.name, configurable: true });
    installFields(Defined.prototype, definition);
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
    const Base = this as unknown as Inner & (new (...args: unknown[]) => BaseModel);
    const settings = mergeSettings(Base[SETTINGS], config as ModelDefaults<ProxyTypes>, this.proxyTypes as ProxyTypes);
    const Bound = class extends Base {};
    Object.defineProperty(Bound, SETTINGS, { value: settings, configurable: true });
    Object.defineProperty(Bound, 'name', { value: this.name, configurable: true });
    const definition = Base[DEFINITION]?.with(settings.given.messages, config.identifier);
    if (definition) {
      Object.defineProperty(Bound, DEFINITION, { value: definition });
      Object.defineProperty(Bound.prototype, MODEL, { value: definition });
      Object.defineProperty(Bound, 'actions', {
        value: actionsOf(definition, Bound as unknown as typeof BaseModel),
      });
    }
    return Bound as never;
  }

  /**
   * Reads a record by its id. Rejects with `AddressError`, before any request, for an id that is none (H5), and with
   * `ReadError` for an answer that holds no record.
   *
   * @example
   * ```ts
   * const user = await User.load(7); // GET /users/7
   * ```
   */
  static load<M extends BaseModel>(this: ModelType<M>, id: RecordId, options?: ActionOptions<M>): Promise<M> {
    const Class = this as unknown as Inner & ModelType<M> & { fromRow(row: object): M };
    return withCallbacks<M>(options, undefined as never, async (use) => {
      const model = modelOf(Class);
      const operation = use(new Operation({ action: 'read', id, model, ...requestOptions(options as never) }));
      const row = await within(operation, model.messages, () => readRow(model, Class.proxy, operation));
      return Class.fromRow(row);
    });
  }

  /** A saved record from a row as the server sends it. */
  static fromRow<M extends BaseModel>(this: ModelType<M>, row: object): M {
    modelOf(this as unknown as Inner);
    return new (this as unknown as new (row: object, how: typeof FROM_ROW) => M)(row, FROM_ROW);
  }

  /**
   * The record that a field refers to, by the model that `references()` names. Undefined where the field is empty.
   */
  static related<B extends typeof BaseModel, K extends keyof ReturnType<B['references']>>(
    this: B,
    record: InstanceType<B>,
    name: K,
  ): Promise<InstanceType<ReturnType<B['references']>[K]> | undefined> {
    return related(this as unknown as typeof BaseModel, record, name as string) as never;
  }

  constructor(data?: object, options?: { phantom?: boolean }) {
    if (!(MODEL in this)) throw new DefinitionError('field-unknown', { field: 'id', model: new.target.name });
    initRecord(this as unknown as InnerRecord, data ?? {}, options ?? {});
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

  /** The id; of a phantom, the temporary one. */
  getId(): RecordId | undefined {
    return currentValue(inner(this), inner(this)[MODEL].idField) as RecordId | undefined;
  }

  /** Reads the record again. Edits stay on top. */
  load(options?: ActionOptions<this>): Promise<this> {
    return withCallbacks(options, this, async (use) => {
      const operation = use(
        new Operation({ action: 'read', records: [inner(this)], ...requestOptions(options as never) }),
      );
      await loadRecord(inner(this), proxyOfRecord(this), operation);
      return this;
    });
  }

  /**
   * Creates a phantom, updates a saved record; sends also what is not dirty. One write of a record is in flight at a time.
   * Rejects with a `DataError`; see its children.
   */
  save(options?: ActionOptions<this>): Promise<this> {
    return withCallbacks(options, this, async (use) => {
      await saveRecord(inner(this), proxyOfRecord(this), options as never, use);
      return this;
    });
  }

  /** Erases the record on the server; a phantom is just dropped. A failed erase restores the record. */
  erase(options?: ActionOptions<this>): Promise<this> {
    return withCallbacks(options, this, async (use) => {
      await eraseRecord(inner(this), () => proxyOfRecord(this), options as never, use);
      return this;
    });
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
    return eventsOf(inner(this)).on(event, listener as Listener<unknown>);
  }

  /** The values by field, as JSON carries them. */
  toJSON(): object {
    const { data } = (this as unknown as { $: { data: object } }).$;
    const values = Object.entries(data).map(([name, each]) => [name, typeof each === 'bigint' ? String(each) : each]);
    return Object.fromEntries(values);
  }
}

/** The definition behind a class. Throws `DefinitionError` for one that no `define` made. */
function modelOf(model: Inner): ModelDefinition {
  const definition = model[DEFINITION];
  if (!definition) throw new DefinitionError('field-unknown', { field: 'id', model: model.name });
  return definition;
}

function proxyOfRecord(record: BaseModel): DataProxy {
  return (record.constructor as typeof BaseModel).proxy;
}

/** The declared actions as functions of a class. */
function actionsOf(model: ModelDefinition, Class: typeof BaseModel): Readonly<Record<string, unknown>> {
  const { createAction } = Class.kit;
  const calls = Object.entries(model.actions).map(([name, config]) => {
    if (!createAction) throw new DefinitionError('core-only', { what: 'actions' });
    return [name, createAction(model, Class, name, config)];
  });
  return Object.freeze(Object.fromEntries(calls));
}
