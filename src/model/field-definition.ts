import { checkPath } from '../errors/check-path.js';
import { DefinitionError } from '../errors/definition-error.js';
import type { Issue } from '../errors/issue.js';
import { describe, formatMessage, type Messages } from '../errors/messages.js';
import { checkOptions } from '../errors/option-rules.js';
import type { WireField } from '../operation/operation-record.js';
import { type DataPath, getMember, isData, parsePath, readPath } from '../util/data-path.js';
import { keepLiterals } from '../util/literals.js';
import { LongNumber } from '../util/long-number.js';
import { rounded } from '../util/rounded.js';
import { copyPlain } from '../util/values.js';
import type { Field, FieldConfig } from './field.js';
import {
  type FieldTypeHandler,
  isDate,
  isSchema,
  type ParsedValue,
  plainTypes,
  schemaType,
  type ValueRefusal,
} from './field-types.js';
import { FIELD_RULES } from './model-options.js';
import type { ModelPart } from './model-part.js';
import { entryOf, hookOf, partMissing } from './part-list.js';
import type { Embedding } from './parts/embedded.js';
import { checkSendable } from './sendable.js';
import { DEFINITION } from './symbols.js';

/** A declared field, ready to read, write and check values. */
export interface FieldDefinition extends WireField {
  /** Place among the values that records keep converted; -1 until one is first kept. */
  slot: number;
  /** Its name, alone in a list. */
  readonly names: readonly [string];
  /** Functions that read it from records, by how they do: made once, so that engines know them for as long as the model. */
  readonly readers: Map<unknown, (record: never) => unknown>;
  readonly config: FieldConfig;
  /** How embedded models are kept; undefined for plain values. */
  readonly embedding: Embedding | undefined;
  /** The member of the row that carries it, where it may be read without a look at who owns it. */
  readonly member: string | undefined;
  /** What its values are to the platform; undefined where something of its own is done to them. */
  readonly kind: FieldTypeHandler['kind'];
  /** Whether what was received can be handed out as it is, without being kept apart. */
  direct(raw: unknown): boolean;
  /** Whether its values have every digit of a number that JavaScript cannot hold. */
  readonly keepsDigits: boolean;
  /** What was received, as an edit keeps it: the field's value, in which `LongNumber`s stand for numbers that have lost digits. */
  readExact(raw: unknown): unknown;
  /**
   * A value that users gave: kept where it fits, read like a received one where it does not. Throws `StateError` for what JSON
   * cannot carry.
   */
  accept(value: unknown): unknown;
  /** The value of a new record that was created without one. */
  defaultValue(): unknown;
  /** The issues of a value that was received, or that users set or a new record has. Validators are given the record. */
  check(given: unknown, received: boolean, record: object, messages?: Messages): Issue[];
}

/** What a field has from the model that declares it. */
export interface FieldOwner {
  readonly model: string;
  readonly parts: readonly ModelPart[];
  readonly naming: (name: string) => string;
}

/** A field from its declaration. Throws `DefinitionError`. */
export function createField(name: string, declared: Field, owner: FieldOwner): FieldDefinition {
  const config = (isData(declared) && !isSchema(declared) ? declared : { type: declared }) as FieldConfig;
  checkOptions(`the field '${name}'`, config, FIELD_RULES, 'field');
  const { type: given, mapping = owner.naming(name), defaultValue, allowNull, persist = true } = config;
  const { calculate, convert, serialize, validators = [] } = config;
  const wrong = validators.findIndex((each) => typeof each !== 'function');
  if (wrong >= 0) throw wrongValidator(name, validators[wrong]);
  // A type that is undefined is no choice, but an import that runs in a circle.
  const type: unknown = 'type' in config ? given : 'auto';
  const schema = isSchema(type);
  const embedding = hookOf(owner.parts, 'embed')?.(type, name, config);
  const handler = schema ? schemaType(type) : (embedding?.type ?? namedType(type, owner.parts));
  if (!handler) throw unknownType(type, name, owner.model);
  const path = typeof mapping === 'string' ? pathOf(name, mapping, config) : undefined;

  // Names that every object answers to must be looked up as own members; the rest may take the short way.
  const member = path?.length === 1 && !((path[0] as string) in Object.prototype) ? (path[0] as string) : undefined;

  const fits = (value: unknown): boolean => isMissing(value) || handler.is(value);
  const keepsDigits = handler.keepsDigits === true;
  // A `convert` of the application is given plain data: a long number as text where values keep digits, else rounded.
  const convertible = (received: unknown): unknown =>
    received instanceof LongNumber && keepsDigits ? received.digits : rounded(received);
  const typed = (given: unknown): ParsedValue => {
    // Embedded records have rows of their own, with every digit.
    if (handler.parse) return handler.parse(embedding ? given : rounded(given));
    const raw = rounded(given);
    const readsLong = given instanceof LongNumber && handler.readLong;
    if (!readsLong && fits(raw)) return { value: raw };
    const value = readsLong ? readsLong(given) : handler.read(raw);
    return value === undefined ? { value: raw, findings: [{ code: 'type', params: { type } }] } : { value };
  };
  const parse = (received: unknown): ParsedValue => {
    try {
      const parsed = typed(convert ? convert(convertible(received)) : received);
      return parsed.findings ? { ...parsed, value: rounded(received) } : parsed;
    } catch (error) {
      return { value: rounded(received), findings: [{ code: 'schema', message: String(error) }] };
    }
  };
  const sendsAsIs = persist && !serialize;
  // The values of a type with a `write` of its own may be of any class; embedded records check their own fields.
  const typeWrites = handler.write !== undefined && !embedding;
  const write = (value: unknown, row: Readonly<Record<string, unknown>>): unknown => {
    if (serialize) {
      const written = keepLiterals(serialize(rounded(value), row), value);
      // A number that the function takes from the row is still the one that was received.
      return keepLiterals(written, path ? readPath(row, path) : row);
    }
    const written = handler.write && !isMissing(value) ? handler.write(value, path && readPath(row, path)) : value;
    return isDate(written) ? written.toISOString() : written;
  };

  const read = (raw: unknown): unknown => {
    if (convert || handler.parse || typeof raw === 'object') return parse(raw).value;
    return fits(raw) ? raw : (handler.read(raw) ?? raw);
  };

  return {
    name,
    slot: -1,
    names: [name],
    readers: new Map(),
    kind: convert || serialize || calculate ? undefined : handler.kind,
    member,
    // The name of the type; `schema` or `model` where it has none.
    type: typeof type === 'string' ? type : schema ? 'schema' : 'model',
    config,
    embedding,
    path,
    write,
    mapping: path ? withoutQuotes(mapping as string, path) : name,
    persist: persist && !calculate,
    writable: !calculate && Boolean(path ?? serialize),
    compare: handler.compare,
    raw: typeof mapping === 'string' ? rowReader(path as DataPath, member) : mapping,
    read,
    readExact: (raw) => (keepsDigits || embedding ? read(raw) : keepLiterals(read(raw), raw)),
    direct: (raw) =>
      !convert &&
      (raw === undefined || (!handler.parse && (raw === null || (typeof raw !== 'object' && handler.is(raw))))),
    accept(value) {
      if (value instanceof LongNumber) return (keepsDigits && handler.readLong?.(value)) || value;
      const accepted = (fits(value) ? undefined : handler.read(value)) ?? copyPlain(value);
      // Embedded records have checked their own fields; one of these may have a `serialize`.
      if (sendsAsIs && !(typeWrites && fits(value))) checkSendable(name, embedding ? accepted : value);
      return accepted;
    },
    keepsDigits,
    defaultValue: () =>
      typeof defaultValue === 'function' ? (defaultValue as () => unknown)() : copyPlain(defaultValue),
    check(given, received, record, messages) {
      if (received && given === undefined) return [];
      const isFree = given === undefined || (given === null && allowNull === true);
      // A schema sees what will be sent: its output may be of another type than its input.
      const look = received || schema ? parse : typed;
      const { value, findings } = isFree ? { value: given } : look(schema && !received ? write(given, {}) : given);
      // Most fields of most records have nothing to be looked at.
      if (!findings && !validators.length && value !== null) return [];
      const broken: (ValueRefusal | undefined)[] = validators.map((each) =>
        (!findings && !isMissing(value)) || each.missing ? each(value, record) : undefined,
      );
      // A `presence` rule of the application reports a null itself, in its own words.
      const reported = broken.some((finding) => finding?.code === 'required');
      if (value === null && !allowNull && !schema && !reported) broken.unshift({ code: 'required' });
      return (findings ?? broken).flatMap((finding) => {
        if (!finding) return [];
        // Of an asynchronous one, that would be a promise.
        if (typeof finding === 'function') throw new DefinitionError('validator-call', { field: name });
        if (typeof finding.code !== 'string')
          throw new DefinitionError('validator', { field: name, value: describe(finding) });
        const { code, params, message, path: inside = [] } = finding;
        return {
          path: [name, ...inside],
          message: message ?? formatMessage(code, params, messages),
          code,
          ...(params && { params }),
        };
      });
    },
  };
}

/**
 * Where a field lies. A name that nobody chose as a mapping is one member, dots and all (`@odata.etag`). Throws `DefinitionError` for
 * what is no path.
 */
function pathOf(name: string, mapping: string, config: FieldConfig): DataPath {
  const isName = config.mapping === undefined && mapping === name;
  if (!isName) checkPath(mapping, `the mapping of '${name}'`);
  const path = isName ? [name] : parsePath(mapping);
  if (path.some((each) => each === '' || each === '__proto__'))
    throw new DefinitionError('field-mapping', { mapping, field: name });
  return path;
}

/** How queries name a mapping: the quotes are this side's only. */
function withoutQuotes(mapping: string, path: DataPath): string {
  return /\[['"]/.test(mapping) ? path.join('.') : mapping;
}

/** A function that reads a value where it lies, the short way where there is one. */
function rowReader(path: DataPath, member: string | undefined): WireField['raw'] {
  return member === undefined ? (row) => readPath(row, path) : (row) => row[member];
}

function namedType(type: unknown, parts: readonly ModelPart[]): FieldTypeHandler | undefined {
  if (typeof type !== 'string') return undefined;
  return (getMember(plainTypes, type) as FieldTypeHandler | undefined) ?? entryOf(parts, 'fieldTypes', type);
}

/** The error of a type that nobody reads: it names the part that would, where the package has one. */
function unknownType(type: unknown, field: string, model: string): DefinitionError {
  const embedded: unknown = Array.isArray(type) ? type[0] : type;
  if (typeof embedded === 'function' && DEFINITION in embedded)
    return partMissing('embedded', model, `The embedded model of the field '${field}'`);
  if (type === 'dateonly' || type === 'decimal' || type === 'bigint')
    return partMissing('exactTypes', model, `The type '${type}' of the field '${field}'`);
  return new DefinitionError('field-type', { field, type });
}

/** The error of a validator that is no function, such as the name of one. */
function wrongValidator(field: string, validator: unknown): DefinitionError {
  return new DefinitionError('validator-type', { field, validator: describe(validator) });
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
