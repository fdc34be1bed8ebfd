import { checkOptions, inDevelopment, typeHint } from '../dev/checks.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { describe, formatMessage, type MessageKey, type Messages } from '../errors/message-format.js';
import { valueMessages } from '../errors/messages/value-texts.js';
import { checkPath, DefinitionError, StateError } from '../errors/mistakes.js';
import type { Issue } from '../errors/validation-error.js';
import type { WireField } from '../operation/operation-record.js';
import { type DataPath, getMember, isData, parsePath, readPath } from '../util/data-path.js';
import { ignoreRejection } from '../util/ignore-rejection.js';
import { LongNumber } from '../util/long-number.js';
import { restoreDigits } from '../util/restore-digits.js';
import { rounded } from '../util/rounded.js';
import { copyPlain, isSame, isTooDeep, MAX_DEPTH } from '../util/values.js';
import type { Field, FieldConfig, TypeCode } from './field.js';
import type { FieldFormat } from './field-format.js';
import {
  enumType,
  type FieldTypeHandler,
  isDate,
  isSchema,
  type ParsedValue,
  plainTypes,
  schemaType,
  type ValueRefusal,
} from './field-types.js';
import { isLocalTime, localTime } from './instant.js';
import { FIELD_RULES } from './model-options.js';
import type { Embedding } from './parts/embedded.js';
import { checkSendable, findLost } from './sendable.js';
import { TYPE_CODE } from './symbols.js';
import type { Validator } from './validators.js';

/** A declared field, with functions that read, write and check its values. */
export interface FieldDefinition extends WireField {
  /** The index of the field's converted values in the caches of records; -1 until a value is first cached. */
  slot: number;
  /** A list that contains only the field's name, so that a change event of one field need not make one. */
  readonly names: readonly [string];
  /**
   * Functions that read the field from records. Each is made once per model, because V8 optimises functions that stay the same.
   */
  readonly readers: Map<unknown, (record: never) => unknown>;
  readonly config: FieldConfig;
  /** How the field handles embedded records; undefined for plain values. */
  readonly embedding: Embedding | undefined;
  /**
   * The member of the row, if a plain `row[member]` reads it safely; undefined for paths, functions and names that every object
   * has.
   */
  readonly member: string | undefined;
  /**
   * The kind of raw values that need no conversion; undefined if there is none, or if the field converts or calculates its
   * values.
   */
  readonly kind: FieldTypeHandler['kind'];
  /** Whether a raw value is the field's value already, so that it needs no place in the cache. */
  isDirect(raw: unknown): boolean;
  /** Whether the value is made from other fields, by `calculate` or by a `convert` with `depends`: it is made whenever it is read. */
  readonly derived: boolean;
  /** Whether the field's values keep every digit of numbers that JavaScript cannot hold. */
  readonly keepsDigits: boolean;
  /**
   * Converts a raw value to the form that edits have: the field's value, with `LongNumber`s for numbers that would lose digits.
   */
  readExact(raw: unknown, record?: object): unknown;
  /**
   * Converts a value that the application sets: a value of the field's type stays as it is, another one is read like a received
   * value. Throws `StateError` for a value that JSON cannot carry.
   */
  accept(value: unknown): unknown;
  defaultValue(): unknown;
  /**
   * Finds what is wrong with a value. `received`: whether it comes from a row; otherwise the application set it, or the record is
   * new; `exact` is that value with every digit of its numbers. Validators are given `record`.
   */
  check(value: unknown, received: boolean, record: object, messages?: Messages, exact?: unknown): Issue[];
}

/** The members of a model that its fields need. */
export interface FieldOwner {
  readonly model: string;
  readonly naming: (name: string) => string;
}

/** Makes a field from its declaration. Throws `DefinitionError` for a wrong declaration. */
export function createField(name: string, declared: Field, owner: FieldOwner): FieldDefinition {
  const config = (isData(declared) && !isSchema(declared) ? declared : { type: declared }) as FieldConfig;
  checkOptions(`the field '${name}'`, config, FIELD_RULES, 'field');
  const { type: declaredType, mapping = owner.naming(name), defaultValue, allowNull, persist = true } = config;
  const { calculate, convert, serialize, values, validators = [] } = config;
  if (validators.length > 0) inDevelopment(checkValidators, name, validators);
  // A type that is undefined is no choice, but an import that runs in a circle.
  const given: unknown = 'type' in config ? declaredType : 'auto';
  const code = codeOf(given);
  const type = code ? code.type : given;
  const schema = isSchema(type);
  const embedding = code?.embed?.(type, name, config);
  const listed = enumOf(name, type, values, owner);
  const handler = schema ? schemaType(type) : (listed ?? embedding?.type ?? code?.handler ?? namedType(type));
  if (!handler) throw unknownType(type, name, owner);
  const path = typeof mapping === 'string' ? pathOf(name, mapping, config, owner.model) : undefined;
  const format = formatOf(name, type, config, owner);

  // Names that every object inherits, such as `constructor`, must be read as own members, which is slower.
  const member = path?.length === 1 && !((path[0] as string) in Object.prototype) ? (path[0] as string) : undefined;

  const fits = (value: unknown): boolean => isMissing(value) || handler.is(value);
  const keepsDigits = handler.keepsDigits === true;
  // A `convert` function of the application gets plain data: a long number becomes a text if the field keeps digits, else it is
  // rounded.
  const convertible = (received: unknown): unknown =>
    received instanceof LongNumber && keepsDigits ? received.digits : rounded(received);
  const parseTyped = (received: unknown): ParsedValue => {
    // Embedded records keep rows of their own, so their long numbers must not be rounded here.
    if (handler.parse) return handler.parse(embedding ? received : rounded(received));
    const raw = rounded(received);
    const readsLong = received instanceof LongNumber && handler.readLong;
    if (!readsLong && fits(raw)) return { value: raw };
    const value = readsLong ? readsLong(received) : handler.read(raw);
    if (value !== undefined) return { value };
    return { value: raw, findings: [handler.refusal ?? { code: 'type', params: { type } }] };
  };
  const misfit = [{ code: 'type', params: { type } }];
  /** Checks a value that the application has set: a format must hold all of it. */
  const parseSet = (given: unknown): ParsedValue => {
    const parsed = parseTyped(given);
    if (!format || parsed.findings || isMissing(parsed.value) || format.keeps(parsed.value)) return parsed;
    return { value: parsed.value, findings: misfit };
  };
  const converted = converterOf(config, convertible);
  const parse = (received: unknown, record?: object): ParsedValue => {
    if (format && !isMissing(received)) {
      const value = format.read(rounded(received));
      return value === undefined ? { value: rounded(received), findings: misfit } : { value };
    }
    try {
      const parsed = parseTyped(converted(received, record));
      return parsed.findings ? { ...parsed, value: rounded(received) } : parsed;
    } catch (error) {
      return { value: rounded(received), findings: [{ code: 'schema', message: String(error) }] };
    }
  };
  const sendsAsIs = persist && !serialize;
  const losesNumbers = sendsAsIs && takesAnyNumber(type);
  // A type with its own `write` may have values of any class, so they are not checked; embedded records check their own fields.
  const typeWrites = handler.write !== undefined && !embedding;
  const write = (value: unknown, row: Readonly<Record<string, unknown>>): unknown => {
    if (serialize) {
      const written = restoreDigits(serialize(rounded(value), row), value);
      // A number that `serialize` has copied from the row must keep the digits that were received.
      return restoreDigits(written, path ? readPath(row, path) : row);
    }
    if (format && fits(value) && !isMissing(value)) return format.write(value, path && readPath(row, path));
    const written = handler.write && !isMissing(value) ? handler.write(value, path && readPath(row, path)) : value;
    if (!isDate(written)) return written;
    const received = path && readPath(row, path);
    return isLocalTime({ type: String(type), config }, received) ? localTime(written, received) : written.toISOString();
  };

  const read = (raw: unknown, record?: object): unknown => {
    if (convert || format || handler.parse || typeof raw === 'object') return parse(raw, record).value;
    return fits(raw) ? raw : (handler.read(raw) ?? raw);
  };

  return {
    name,
    label: config.label,
    slot: -1,
    names: [name],
    readers: new Map(),
    kind: convert || format || serialize || calculate ? undefined : handler.kind,
    member,
    // Schemas and embedded models have no type name.
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
    queryValue: format?.send,
    takes: takesAnything(config, type)
      ? undefined
      : (raw) =>
          (!convert && !format && !handler.parse && typeof raw !== 'object' && fits(raw)) || !parse(raw).findings,
    derived: isDerived(config),
    depends: dependenciesOf(config),
    readExact: (raw, record) => (keepsDigits || embedding ? read(raw, record) : restoreDigits(read(raw, record), raw)),
    isDirect: (raw) =>
      !convert &&
      !format &&
      (raw === undefined || (!handler.parse && (raw === null || (typeof raw !== 'object' && handler.is(raw))))),
    accept(value) {
      if (value instanceof LongNumber) return (keepsDigits && handler.readLong?.(value)) || value;
      if (isTooDeep(value)) throw new StateError('field', 'field-depth', { field: name, most: MAX_DEPTH });
      const accepted = (fits(value) ? undefined : handler.read(value)) ?? copyPlain(value);
      // Embedded records have checked their own fields, some of which may have a `serialize` for values that JSON cannot carry.
      if (sendsAsIs && !(typeWrites && fits(value))) checkSendable(name, embedding ? accepted : value);
      return accepted;
    },
    keepsDigits,
    defaultValue: () =>
      typeof defaultValue === 'function' ? (defaultValue as () => unknown)() : copyPlain(defaultValue),
    check(given, received, record, messages, exact = given) {
      if (received && given === undefined) return [];
      const isAcceptedMissing = given === undefined || (given === null && allowNull === true);
      // A schema checks its input type, which is what will be sent; the value itself may have another type, the schema's output.
      const parseValue = received || schema ? parse : parseSet;
      const { value, findings = received || !losesNumbers ? undefined : findLost(exact) }: ParsedValue =
        isAcceptedMissing ? { value: given } : parseValue(schema && !received ? write(given, {}) : given, record);
      // Most fields have no validators, so most checks end here.
      if (!findings && !validators.length && value !== null) return [];
      const refusals: (ValueRefusal | undefined)[] = validators.map((each) =>
        (!findings && !isMissing(value)) || each.missing ? findingOf(each, value, record, name) : undefined,
      );
      // A `presence` validator reports null itself, with the application's text.
      const reported = refusals.some((finding) => finding?.code === 'required');
      if (value === null && !allowNull && !schema && !reported) refusals.unshift({ code: 'required' });
      return (findings ?? refusals).flatMap((finding) => {
        if (!finding) return [];
        if (typeof finding === 'function') throw new DefinitionError('validator-call', { field: name });
        // An asynchronous validator returns a promise, which has no code.
        if (typeof finding.code !== 'string')
          throw new DefinitionError('validator', { field: name, value: describe(finding) });
        const { code, params, message, path: inside = [] } = finding;
        return {
          path: [name, ...inside],
          message: message ?? formatMessage(typeTextKey(code, params?.['type'] ?? type), params, messages),
          code,
          ...(params && { params }),
        };
      });
    },
  };
}

/** Whether a field takes every received text, or may do so: its `convert` reads other fields. */
function takesAnything(config: FieldConfig, type: unknown): boolean {
  return config.convert ? followsOthers(config) : type === 'auto' || type === 'json' || type === 'string';
}

/** Whether a type takes numbers and dates that JSON would lose. Other types, and schemas of libraries, have rules of their own. */
function takesAnyNumber(type: unknown): boolean {
  return type === 'auto' || type === 'json' || (isSchema(type) && type['~standard'].vendor === 'repose');
}

/** Whether a field is made from other fields. */
function isDerived(config: FieldConfig): boolean {
  return config.calculate !== undefined || followsOthers(config);
}

/** The fields from which a field is made; an empty list if nothing names them. */
function dependenciesOf({ calculate, depends }: FieldConfig): readonly string[] | undefined {
  return depends ?? (calculate && []);
}

/** Whether a field has a `convert` that reads other fields. */
function followsOthers({ convert, depends }: FieldConfig): boolean {
  return convert !== undefined && depends !== undefined;
}

/** The `convert` of a field. One that reads other fields leaves a value as it is if there is no record to read them from. */
function converterOf(
  config: FieldConfig,
  convertible: (received: unknown) => unknown,
): (received: unknown, record: object | undefined) => unknown {
  const { convert } = config;
  if (!convert) return (received) => received;
  if (!followsOthers(config)) return (received) => convert(convertible(received), undefined);
  return (received, record) => (record ? convert(convertible(received), record) : received);
}

/**
 * The path of a field in the row. A field name without a `mapping` is the name of one member, even with dots (`@odata.etag`).
 * Throws `DefinitionError` for a malformed path.
 */
function pathOf(name: string, mapping: string, config: FieldConfig, model: string): DataPath {
  const isName = config.mapping === undefined && mapping === name;
  if (!isName) checkPath(mapping, `the mapping of '${name}'`);
  const path = isName ? [name] : parsePath(mapping);
  if (path.some((each) => each === '' || each === '__proto__'))
    throw new DefinitionError('field-mapping', { mapping, field: name, model });
  return path;
}

/** The name of a mapping in queries: servers do not know the quotes of our paths. */
function withoutQuotes(mapping: string, path: DataPath): string {
  return /\[['"]/.test(mapping) ? path.join('.') : mapping;
}

/** A function that reads a value from a row, directly if the path is a single safe name. */
function rowReader(path: DataPath, member: string | undefined): WireField['raw'] {
  return member === undefined ? (row) => readPath(row, path) : (row) => row[member];
}

function namedType(type: unknown): FieldTypeHandler | undefined {
  return typeof type === 'string' ? (getMember(plainTypes, type) as FieldTypeHandler | undefined) : undefined;
}

/** The code that a declared type brings along; undefined for the name of a type, and for a schema. */
function codeOf(type: unknown): TypeCode<unknown> | undefined {
  return (type as { readonly [TYPE_CODE]?: TypeCode<unknown> } | null | undefined)?.[TYPE_CODE];
}

/** The name of the type of a field, its schema, or the model that it embeds. */
export function typeOf({ type }: FieldConfig): unknown {
  const code = codeOf(type);
  return code ? code.type : type;
}

/** The type of an enum; undefined for any other type. */
function enumOf(
  field: string,
  type: unknown,
  values: FieldConfig['values'],
  owner: FieldOwner,
): FieldTypeHandler | undefined {
  if (type !== 'enum' && values === undefined) return undefined;
  inDevelopment(checkEnum, field, type, values, owner);
  return type === 'enum' && values ? enumType(Object.freeze([...values])) : undefined;
}

/**
 * Throws `DefinitionError` for an enum without a list of different texts or numbers, and for such a list of another type.
 */
function checkEnum(field: string, type: unknown, values: unknown, { model }: FieldOwner): void {
  if (type !== 'enum') throw new DefinitionError('enum-type', { field, model, type: describe(type) });
  const isValue = (value: unknown) => typeof value === 'string' || Number.isFinite(value);
  const isList = Array.isArray(values) && values.length > 0 && new Set(values.map(String)).size === values.length;
  if (!isList || ![...values].every(isValue))
    throw new DefinitionError('enum-values', { field, model, values: describe(values) });
}

/** The format of a field; undefined without one. Throws `DefinitionError` for a format that the field cannot have. */
function formatOf(field: string, type: unknown, config: FieldConfig, { model }: FieldOwner): FieldFormat | undefined {
  const { format, convert, serialize } = config;
  if (format === undefined) return undefined;
  const found = convert || serialize ? 'goes without `convert` and `serialize`' : format.compile(type);
  if (typeof found === 'string')
    throw new DefinitionError('field-format', { format: format.pattern, field, model, why: found });
  return found;
}

/** The error for an unknown type. */
function unknownType(type: unknown, field: string, { model }: FieldOwner): DefinitionError {
  const hint = typeHint(type, Object.keys(plainTypes));
  return new DefinitionError('field-type', { field, model, type: describe(type), hint });
}

/** The key of the text about a finding: types have texts of their own. */
export function typeTextKey(code: MessageKey, type: unknown): MessageKey {
  const own = `${code}-${String(type)}`;
  return code === 'type' && Object.hasOwn(valueMessages, own) ? own : code;
}

/** The finding of a validator. Throws `DefinitionError` if the validator throws. */
function findingOf(validator: Validator, value: unknown, record: object, field: string): ValueRefusal | undefined {
  try {
    const finding = validator(value, record);
    ignoreRejection(finding);
    return finding;
  } catch (cause) {
    throw hasErrorBrand(cause) ? cause : new DefinitionError('validator-failed', { field, why: cause }, { cause });
  }
}

/** Throws `DefinitionError` for a validator that is no function, such as the name of one. */
function checkValidators(field: string, validators: readonly unknown[]): void {
  const wrong = validators.findIndex((each) => typeof each !== 'function');
  if (wrong >= 0) throw new DefinitionError('validator-type', { field, validator: describe(validators[wrong]) });
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/**
 * Whether two raw values of a field are alike: equal, or read as the same value. Some servers return an emptied field as null, other servers
 * leave it out.
 */
export function isAlikeRaw(field: FieldDefinition, first: unknown, second: unknown): boolean {
  if (isSame(first ?? null, second ?? null)) return true;
  return !field.embedding && isSame(field.read(first), field.read(second));
}
