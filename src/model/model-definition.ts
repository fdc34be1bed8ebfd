import { fieldHint, hintOf, inDevelopment } from '../dev/checks.js';
import { checkDependencies } from '../dev/field-dependencies.js';
import type { Messages } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { wrongValue } from '../errors/option-rules.js';
import { ReadError } from '../errors/read-error.js';
import { isValidId, keepsDigits } from '../http/url.js';
import type { AnyId, RecordId } from '../operation/actions.js';
import type { OperationRecord, RecordModel } from '../operation/operation-record.js';
import { SignalHub } from '../util/abort.js';
import type { CompositeId } from '../util/composite-id.js';
import { type Data, getMember, isObject } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import { LongNumber } from '../util/long-number.js';
import type { ActionConfigs } from './action-types.js';
import type { IdParts } from './composite-field.js';
import type { Field, Fields, ModelType } from './field.js';
import { createField, type FieldDefinition } from './field-definition.js';
import { IdCounters } from './id-counters.js';
import { createIdentifier, type Identifier, type IdentifierConfig, planIdentifier, randomUuid } from './identifier.js';
import type { Model } from './model.js';
import { namings } from './namings.js';
import { createPhantoms, type PhantomIndex } from './phantom-index.js';
import type { RecordCore } from './record-core.js';
import type { ReferenceHooks } from './reference-hooks.js';
import type { Settings } from './settings.js';
import { ACTION, CORE, type DEFINITION, type FROM_ROW, ID_PARTS, REFERENCES, ROW, type SETTINGS } from './symbols.js';
import type { WaitingHooks } from './waiting-changes.js';

/** The members of a record that a model definition reads. */
export interface RawRecord extends OperationRecord {
  readonly [ROW]: Data;
  readonly [CORE]: RecordCore | undefined;
}

/** A model class that `define()` has made, with its internal members. */
export interface InnerModel<M extends Model = Model> extends ModelType<M> {
  new (data?: object, options?: { phantom?: boolean } | typeof FROM_ROW): M;
  readonly [DEFINITION]: ModelDefinition;
  readonly [SETTINGS]?: Settings;
  fromRow(row: object): M;
  load(id: AnyId, options?: object): Promise<M>;
  with(config: object): InnerModel<M>;
}

/** A model class with its internal members, which its public type hides. */
export function innerModel<M extends Model>(model: ModelType<M>): InnerModel<M> {
  return model as InnerModel<M>;
}

/** The options of a model definition. */
export interface DefinitionConfig {
  name?: string | undefined;
  fields: Fields;
  idProperty?: string | IdParts | undefined;
  identifier?: IdentifierConfig | undefined;
  naming?: Naming | undefined;
  undeclared?: 'keep' | 'refuse' | undefined;
  actions?: ActionConfigs | undefined;
  messages?: Messages | undefined;
}

/** How field names are converted to member names of the row. */
export type Naming = 'snake' | 'kebab' | ((field: string) => string);

/** The definition of a model, made from the options of `define`: its fields, its id field, its identifier. */
export interface ModelDefinition extends RecordModel {
  readonly fields: readonly FieldDefinition[];
  readonly idField: FieldDefinition;
  readonly idParts: readonly FieldDefinition[] | undefined;
  /** The option `idProperty`. */
  readonly idProperty: string | IdParts;
  /** How changes hold the records that records of this model embed; undefined if they embed none. */
  readonly embeds: WaitingHooks | undefined;
  readonly identifier: Identifier;
  /** Whether a function of the application makes the temporary ids. */
  readonly customId: boolean;
  /** Counts the temporary ids of all models of a family. */
  readonly counters: IdCounters;
  readonly actions: ActionConfigs;
  readonly messages: Messages;
  /** Handles the fields that refer to other models; undefined if no field is declared by `reference()`. */
  readonly references: ReferenceHooks | undefined;
  /** Counts the starts of reads and the ends of writes, to order them. All models of a family share one clock. */
  readonly clock: { now: number };
  /** Connects calls with their abort signals. All models of a family share one hub. */
  readonly signals: SignalHub;
  /** The new records by their temporary ids. */
  readonly phantoms: PhantomIndex;
  /** Whether a row is older than another row of its record, by the version that `receive()` was given; undefined: by none. */
  isOlder?: ((row: Data, other: Data) => boolean) | undefined;
  field(name: string): FieldDefinition | undefined;
  /** Whether new records keep members that no field declares. */
  readonly keepsUndeclared: boolean;
  /** Whether a member of a row belongs to no field, neither by its name nor by a mapping, and new records keep it. */
  keepsMember(name: string): boolean;
  /** Gives a field the next free index in the caches of records. */
  nextSlot(): number;
  /** Throws `ReadError` for a row whose id is not one of `ids`. The first of them is the id that was requested. */
  checkSameId(ids: readonly unknown[], row: Data, hint?: string): void;
  /** The same definition with other error texts, or with another identifier. */
  with(messages: Messages, identifier: IdentifierConfig | undefined): ModelDefinition;
}

/**
 * Makes a definition that extends the definition of a base model. Members of `reserved` cannot be names of fields. Throws
 * `DefinitionError` for a wrong declaration.
 */
export function createDefinition(
  config: DefinitionConfig,
  base: ModelDefinition | undefined,
  reserved: object,
): ModelDefinition {
  const { name = base?.name ?? 'record', messages = {}, idProperty = base?.idProperty ?? 'id' } = config;
  const inherited = base?.fields.filter((field) => !(base.idParts && field === base.idField));
  const declared = new Map<string, unknown>(inherited?.map((field) => [field.name, field.config]));
  for (const [field, option] of Object.entries(config.fields)) {
    if (field in reserved) throw new DefinitionError('field-reserved', { field, model: name });
    declared.set(field, option);
  }
  if (typeof idProperty !== 'string') idProperty[ID_PARTS].check(idProperty.names, declared, name);
  else if (!declared.has(idProperty)) {
    if (config.idProperty !== undefined) {
      const hint = hintOf(idProperty, [...declared.keys()], 'its fields');
      throw new DefinitionError('id-property', { field: idProperty, model: name, hint });
    }
    declared.set(idProperty, 'auto');
  }
  const owner = { model: name, naming: namingOf(config) };
  const stored = [...declared].map(([field, option]) => createField(field, option as Field, owner));
  const { names: idNames, [ID_PARTS]: idCode } =
    typeof idProperty === 'string' ? { names: [idProperty], [ID_PARTS]: undefined } : idProperty;
  checkDependencies(stored, idNames, name);
  let idParts: readonly FieldDefinition[] | undefined;
  const composite = idCode ? [idCode.createField(() => idParts ?? [], idNames, owner)] : [];
  const fields = [...composite, ...stored];
  const actions = { ...base?.actions, ...config.actions };
  if (config.actions) inDevelopment(checkActions, actions, name);
  let slot = -1;
  const byName = new Map(fields.map((field) => [field.name, field]));
  const keepsUndeclared = config.undeclared ? config.undeclared === 'keep' : (base?.keepsUndeclared ?? false);
  idParts = idCode && idNames.map((each) => byName.get(each) as FieldDefinition);
  const references = stored.map(referencesBy).find((hooks) => hooks !== undefined);
  const idField = composite[0] ?? (byName.get(idProperty as string) as FieldDefinition);
  const counters = base?.counters ?? new IdCounters();
  const identify = (identifierConfig: IdentifierConfig = {}, basePhantoms: PhantomIndex | undefined = undefined) => {
    const plan = planIdentifier(identifierConfig, name, idField.type);
    return {
      identifier: createIdentifier(plan, counters),
      customId: typeof plan === 'function' && plan !== randomUuid,
      naturalId: plan === 'natural',
      phantoms: createPhantoms(counters, basePhantoms),
    };
  };

  return {
    name,
    fields,
    idField,
    idParts,
    idProperty,
    embeds: fields.find(({ embedding }) => embedding)?.embedding?.waiting,
    messages,
    references,
    counters,
    ...identify(config.identifier, base?.phantoms),
    actions,
    clock: base?.clock ?? { now: 0 },
    signals: base?.signals ?? new SignalHub(),
    field: (each) => byName.get(each),
    keepsUndeclared,
    keepsMember: (each) =>
      keepsUndeclared && !byName.has(each) && !fields.some(({ path = [] }) => String(path[0]) === each),
    nextSlot: () => (slot += 1),
    with(texts, identifier) {
      return { ...this, messages: texts, ...(identifier && identify(identifier, this.phantoms)) };
    },

    serverId(record) {
      const { [ROW]: row, [CORE]: core } = record as RawRecord;
      const { edits } = core ?? {};
      if (idCode && idParts && core?.phantom && edits) {
        const written = (field: FieldDefinition) =>
          edits.has(field) ? field.write(edits.get(field), row) : field.raw(row);
        return idCode.idOf(idParts, written) ?? core.temporaryId;
      }
      const id = idField.raw(row);
      if (!core?.phantom) return id;
      return core.edits?.has(idField) ? core.edits.get(idField) : isValidId(id) ? id : core.temporaryId;
    },

    rowId(row) {
      if (!isObject(row)) return undefined;
      const id = idField.raw(row as Data);
      if (idParts) return id as RecordId | undefined;
      // Different long ids may be rounded to the same number, so the digits are the id.
      if (id instanceof LongNumber) return id.digits;
      return isValidId(id) && typeof id !== 'object' ? (id as RecordId) : undefined;
    },

    checkSameId(ids, row, hint = '') {
      const got = idCode && idParts ? idCode.received(idParts, row) : this.rowId(row);
      if (got === undefined) return;
      for (const id of ids)
        if (
          idCode && idParts ? idCode.isSame(idParts, id as CompositeId, got as CompositeId) : isSameId(idField, id, got)
        )
          return;
      throw new ReadError('response-id', { model: name, asked: ids[0], got, hint });
    },

    row: (record) => (record as RawRecord)[ROW],

    pathParams: (record) => (record as RawRecord)[CORE]?.pathParams,

    edits: (record) => (record as RawRecord)[CORE]?.edits ?? new Map(),

    templateValue(record, each, committed) {
      const field = byName.get(each);
      if (!field || field === idField) return undefined;
      const { [ROW]: row, [CORE]: core } = record as RawRecord;
      const edits = committed ? undefined : core?.edits;
      const value = edits?.has(field) ? field.write(edits.get(field), row) : field.raw(row);
      references?.refuseTemporaryId(record, each, value);
      return value;
    },

    idFromText(text) {
      // `007` stays a text, because as a number it would give another address; so does a number that would lose digits.
      const id = Number(text);
      return /^(int|number)$/.test(idField.type) && String(id) === text && keepsDigits(id) ? id : text;
    },
  };
}

/** Throws `DefinitionError` for an action that is no value of `action()`. */
function checkActions(actions: ActionConfigs, model: string): void {
  for (const [action, declared] of Object.entries(actions))
    if (!(declared as Partial<typeof declared> | undefined)?.[ACTION])
      throw new DefinitionError('action-plain', { action, model });
}

/** The code that a field which refers to another model brings along; undefined for a field that is not declared by `reference()`. */
export function referencesBy({ config }: FieldDefinition): ReferenceHooks | undefined {
  return (config as { readonly [REFERENCES]?: ReferenceHooks })[REFERENCES];
}

/** The error for a name in `references()` that is no field, or whose field is not declared by `reference()`. */
export function wrongReference(field: string, model: ModelDefinition): DefinitionError {
  const { name, fields, messages } = model;
  if (model.field(field)) return new DefinitionError('reference-plain', { field, model: name }, { messages });
  return new DefinitionError('reference-field', { field, model: name, hint: fieldHint(field, fields) }, { messages });
}

/** Whether two raw ids of a field name the same record. Ids are compared by their text; for number ids, leading zeros do not count. */
export function isSameId({ type }: FieldDefinition, a: unknown, b: unknown): boolean {
  const [first, second] = [idKey(a), idKey(b)];
  return first === second || (/^(int|number|bigint)$/.test(type) && withoutZeros(first) === withoutZeros(second));
}

function withoutZeros(text: string): string {
  return text.replace(/^\+(?=\d)/, '').replace(/^(-?)0+(?=\d)/, '$1');
}

/** The function of the option `naming`. Throws `DefinitionError` for an unknown name. */
function namingOf({ naming = (each: string) => each }: DefinitionConfig): (field: string) => string {
  if (typeof naming === 'function') return naming;
  const named = getMember(namings, naming) as ((field: string) => string) | undefined;
  if (named) return named;
  throw wrongValue('define.naming', "'snake', 'kebab' or a function", naming);
}
