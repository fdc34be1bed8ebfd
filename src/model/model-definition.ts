import { AddressError } from '../errors/address-error.js';
import { DefinitionError } from '../errors/definition-error.js';
import type { Messages } from '../errors/messages.js';
import { isValidId } from '../http/url.js';
import type { RecordId } from '../operation/actions.js';
import type { OperationRecord, RecordModel, WireField } from '../operation/operation-record.js';
import type { Data } from '../util/data-path.js';
import { JsonWriter } from '../writer/json-writer.js';
import type { ActionConfigs } from './action-types.js';
import type { AnyModel, Fields } from './field.js';
import { FieldDefinition } from './field-definition.js';
import { createIdentifier, type Identifier, type IdentifierConfig } from './identifier.js';
import type { Kit } from './kit.js';
import type { RecordCore } from './record-core.js';
import { CORE, DEFINITION, ROW } from './symbols.js';

/** Members of a record as this layer sees them. */
export interface RawRecord extends OperationRecord {
  [ROW]: Data;
  [CORE]: RecordCore | undefined;
}

/** What a definition is made from. */
export interface DefinitionConfig {
  name?: string | undefined;
  fields: Fields;
  idProperty?: string | undefined;
  identifier?: IdentifierConfig | undefined;
  naming?: Naming | undefined;
  actions?: ActionConfigs | undefined;
  messages?: Messages | undefined;
}

/** How field names become members of the row. */
export type Naming = 'snake' | 'kebab' | ((field: string) => string);

/** What `define` was told, ready for use: fields by name, the id field, identifiers. */
export class ModelDefinition implements RecordModel {
  readonly name: string;
  readonly fields: readonly FieldDefinition[];
  readonly idField: FieldDefinition;
  readonly identifier: Identifier;
  readonly actions: ActionConfigs;
  readonly messages: Messages | undefined;
  /** Orders the starts of reads and the ends of writes, for all models of a family. */
  readonly clock: { now: number };
  private readonly byName: Map<string, FieldDefinition> = new Map();
  private readonly members: Set<string> = new Set();

  constructor(
    config: DefinitionConfig,
    base: ModelDefinition | undefined,
    reserved: (name: string) => boolean,
    kit: Kit,
  ) {
    this.name = config.name ?? base?.name ?? 'record';
    this.actions = { ...base?.actions, ...config.actions };
    this.messages = config.messages ?? base?.messages;
    this.clock = base?.clock ?? { now: 0 };
    const idProperty = config.idProperty ?? base?.idField.name ?? 'id';
    const declared = new Map<string, unknown>(base?.fields.map((field) => [field.name, field.config]));
    for (const name of Object.keys(config.fields)) {
      if (reserved(name)) throw new DefinitionError('field-reserved', { field: name });
      declared.set(name, config.fields[name]);
    }
    if (!declared.has(idProperty)) {
      if (config.idProperty !== undefined)
        throw new DefinitionError('field-unknown', { field: idProperty, model: this.name });
      declared.set(idProperty, 'auto');
    }
    const naming = namingOf(config.naming);
    this.fields = [...declared].map(
      ([name, field], index) => new FieldDefinition(name, index, field as never, naming, kit),
    );
    for (const field of this.fields) {
      this.byName.set(field.name, field);
      if (field.path) this.members.add(field.path[0] as string);
    }
    this.idField = this.byName.get(idProperty) as FieldDefinition;
    const numeric = ['int', 'number', 'bigint'].includes(this.idField.type);
    this.identifier = createIdentifier(config.identifier ?? (numeric ? 'negative' : 'sequential'), this.name);
  }

  /** The same definition in other words, or with another identifier. */
  with(messages: Messages | undefined, identifier: IdentifierConfig | undefined): ModelDefinition {
    return Object.assign(Object.create(this) as ModelDefinition, {
      ...(messages && { messages }),
      ...(identifier && { identifier: createIdentifier(identifier, this.name) }),
    });
  }

  field(name: string): FieldDefinition | undefined {
    return this.byName.get(name);
  }

  /** Whether a member of a row belongs to a field. */
  declares(member: string): boolean {
    return this.members.has(member);
  }

  serverId(record: OperationRecord): unknown {
    const { [ROW]: row, [CORE]: core } = record as RawRecord;
    const id = this.idField.raw(row);
    if (!core?.phantom) return id;
    return core.edits?.has(this.idField) ? core.edits.get(this.idField) : isValidId(id) ? id : core.temporaryId;
  }

  rowId(row: unknown): RecordId | undefined {
    if (typeof row !== 'object' || row === null) return undefined;
    const id = this.idField.raw(row as Data);
    return isValidId(id) && typeof id !== 'object' ? (id as RecordId) : undefined;
  }

  row(record: OperationRecord): Data {
    return (record as RawRecord)[ROW];
  }

  edits(record: OperationRecord): ReadonlyMap<WireField, unknown> {
    return (record as RawRecord)[CORE]?.edits ?? NONE;
  }

  templateValue(record: OperationRecord, name: string, committed: boolean): unknown {
    const field = this.byName.get(name);
    if (!field || field === this.idField) return undefined;
    const { [ROW]: row, [CORE]: core } = record as RawRecord;
    const edited = !committed && core?.edits?.has(field);
    const value = edited ? field.write(core?.edits?.get(field), row) : field.raw(row);
    const target = referencesOf(record)[name];
    if (target && (target as unknown as { [DEFINITION]: ModelDefinition })[DEFINITION].identifier.issued(value)) {
      throw new AddressError('template-phantom', { name, url: `{${name}}` });
    }
    return value;
  }

  /** A record as a row of its own: what embedding writes, and local data is kept as. */
  writeRow(record: OperationRecord): Data {
    return new JsonWriter().wholeRow(record);
  }

  /** A raw id from a text: a number where the field holds numbers. */
  idFromText(text: string): RecordId {
    const number = Number(text);
    // `007` stays a text: as a number it would be another address (H6).
    return ['int', 'number'].includes(this.idField.type) && String(number) === text ? number : text;
  }
}

const NONE: ReadonlyMap<WireField, unknown> = new Map();

/** The models that a record's fields refer to. */
function referencesOf(record: object): Readonly<Record<string, AnyModel>> {
  return (record.constructor as unknown as { references(): Record<string, AnyModel> }).references();
}

function namingOf(naming: Naming | undefined): (name: string) => string {
  if (typeof naming === 'function') return naming;
  if (!naming) return (name) => name;
  const joint = naming === 'snake' ? '_' : '-';
  return (name) =>
    name
      .replace(/([a-z\d])([A-Z])/g, `$1${joint}$2`)
      .replace(/([A-Z])([A-Z][a-z])/g, `$1${joint}$2`)
      .toLowerCase();
}
