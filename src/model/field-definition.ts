import { DefinitionError } from '../errors/definition-error.js';
import type { Issue } from '../errors/issue.js';
import { formatMessage, type MessageKey, type Messages } from '../errors/messages.js';
import type { WireField } from '../operation/operation-record.js';
import { type Data, type DataPath, isData, parsePath, readPath } from '../util/data-path.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import { copyPlain } from '../util/values.js';
import { type Embedding, embeddingOf } from './embedding.js';
import type { Field, FieldConfig } from './field.js';
import { fieldTypes, INVALID, rowReader, type TypeHandler } from './field-types.js';
import type { Finding, Validator } from './validators.js';

const OPTIONS = [
  'type',
  'mapping',
  'defaultValue',
  'allowNull',
  'persist',
  'calculate',
  'depends',
  'convert',
  'serialize',
  'validators',
];

/** A declared field, ready to read, write and check values. */
export class FieldDefinition implements WireField {
  readonly mapping: string;
  readonly path: DataPath | undefined;
  readonly persist: boolean;
  readonly allowNull: boolean;
  readonly type: string;
  readonly validators: readonly Validator[];
  readonly raw: (row: Readonly<Data>) => unknown;
  /** How embedded models are read and written; undefined for plain values. */
  readonly embedding: Embedding | undefined;
  readonly config: FieldConfig;
  readonly handler: TypeHandler;
  private readonly schema: StandardSchemaV1 | undefined;

  constructor(
    readonly name: string,
    /** Place in the model's list of fields. */
    readonly index: number,
    field: Field,
    naming: (name: string) => string,
  ) {
    const config = (isConfig(field) ? field : { type: field }) as FieldConfig;
    const unknown = Object.keys(config).find((option) => !OPTIONS.includes(option));
    if (unknown !== undefined) throw new DefinitionError('field-option', { option: unknown, field: name });
    this.config = config;
    const { type = 'auto', mapping } = config;
    this.embedding = embeddingOf(type);
    this.schema = isSchema(type) ? type : undefined;
    this.type = typeof type === 'string' ? type : 'schema';
    if (!this.embedding && !this.schema && !(typeof type === 'string' && Object.hasOwn(fieldTypes, type))) {
      throw new DefinitionError('field-type', { field: name, type: String(type) });
    }
    this.handler = (fieldTypes[this.type] ?? fieldTypes['auto']) as TypeHandler;
    this.mapping = typeof mapping === 'string' ? mapping : naming(name);
    this.path = typeof mapping === 'function' ? undefined : parsePath(this.mapping);
    if (this.path?.some((each) => each === '' || each === '__proto__')) {
      throw new DefinitionError('field-mapping', { mapping: this.mapping, field: name });
    }
    this.raw = typeof mapping === 'function' ? mapping : rowReader(this.path as DataPath);
    this.persist = (config.persist ?? true) && !config.calculate;
    this.allowNull = config.allowNull ?? false;
    this.validators = config.validators ?? [];
  }

  get compare(): TypeHandler['compare'] {
    return this.handler.compare;
  }

  /** Whether users may set it. */
  get writable(): boolean {
    return !this.config.calculate && (this.path !== undefined || this.config.serialize !== undefined);
  }

  /** Whether what was received can be handed out as it is, without being kept apart. */
  direct(raw: unknown): boolean {
    if (raw === undefined || raw === null) return !this.config.convert;
    return typeof raw !== 'object' && !this.config.convert && !this.schema && this.handler.is(raw);
  }

  /** What was received, as the field's value; a value that is refused is handed out as received (never throws). */
  read(raw: unknown): unknown {
    return this.parse(raw).value;
  }

  /** A value that users gave: kept where it fits, read like a received one where it does not. */
  accept(value: unknown): unknown {
    if (value === null || value === undefined || this.schema || this.embedding || this.handler.is(value))
      return copyPlain(value);
    const read = this.handler.read(value);
    return read === INVALID ? value : read;
  }

  write(value: unknown, row: Readonly<Record<string, unknown>>): unknown {
    if (this.config.serialize) return this.config.serialize(value, row);
    if (this.embedding) return this.embedding.write(value);
    if (value === null || value === undefined) return value;
    if (this.handler.write) return this.handler.write(value, this.path && readPath(row, this.path));
    return value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
  }

  /** The value of a new record that was created without one. */
  defaultValue(): unknown {
    const { defaultValue } = this.config;
    return typeof defaultValue === 'function' ? (defaultValue as () => unknown)() : copyPlain(defaultValue);
  }

  /** What is wrong with a value that users set, or a new record has. */
  check(value: unknown, messages?: Messages): Issue[] {
    if (value === undefined || value === null) {
      if (value === null && !this.allowNull && !this.schema) return [this.issue({ code: 'required' }, messages)];
      if (!this.schema || value === undefined) return this.findings(value, messages);
    }
    if (this.schema) {
      const found = this.parse(this.write(value, {})).issues;
      return [...found, ...this.findings(value, messages)];
    }
    if (!this.embedding && !this.handler.is(value))
      return [this.issue({ code: 'type', params: { type: this.type } }, messages)];
    return this.findings(value, messages);
  }

  /** What is wrong with a value that was received. */
  checkReceived(raw: unknown, messages?: Messages): Issue[] {
    if (raw === undefined) return [];
    if (raw === null) return this.allowNull || this.schema ? this.parse(raw).issues : this.check(raw, messages);
    const { value, issues, refused } = this.parse(raw);
    if (issues.length) return issues;
    return refused
      ? [this.issue({ code: 'type', params: { type: this.type } }, messages)]
      : this.findings(value, messages);
  }

  private parse(received: unknown): { value: unknown; issues: Issue[]; refused?: boolean } {
    let raw = received;
    if (this.config.convert) {
      try {
        raw = this.config.convert(received);
      } catch (error) {
        return { value: received, issues: [{ path: [this.name], message: String(error), code: 'convert' }] };
      }
    }
    if (this.schema) return this.validate(raw);
    if (raw === null || raw === undefined || this.handler.is(raw)) return { value: raw, issues: [] };
    const value = this.handler.read(raw);
    return value === INVALID ? { value: raw, issues: [], refused: true } : { value, issues: [] };
  }

  private validate(raw: unknown): { value: unknown; issues: Issue[] } {
    try {
      const result = (this.schema as StandardSchemaV1)['~standard'].validate(raw);
      if (result instanceof Promise) {
        result.catch(() => undefined);
        return {
          value: raw,
          issues: [{ path: [this.name], message: 'has a schema that is not synchronous', code: 'schema' }],
        };
      }
      if (!result.issues) return { value: result.value, issues: [] };
      const issues = result.issues.map(({ message, path = [], ...more }) => ({
        path: [this.name, ...path.map((each) => (typeof each === 'object' ? each.key : each))],
        message,
        code: String((more as { code?: unknown }).code ?? 'schema'),
      }));
      return { value: raw, issues };
    } catch (error) {
      return { value: raw, issues: [{ path: [this.name], message: String(error), code: 'schema' }] };
    }
  }

  private findings(value: unknown, messages: Messages | undefined): Issue[] {
    const missing = value === undefined || value === null;
    return this.validators
      .filter((validator) => !missing || validator.missing)
      .map((validator) => validator(value))
      .filter((finding): finding is Finding => finding !== undefined)
      .map((finding) => this.issue(finding, messages));
  }

  private issue({ code, params, message }: Finding, messages: Messages | undefined): Issue {
    return {
      path: [this.name],
      message: message ?? formatMessage(code as MessageKey, params, messages),
      code,
      ...(params && { params }),
    };
  }
}

/** Whether a declaration is a schema: an object or function of Standard Schema. */
function isSchema(value: unknown): value is StandardSchemaV1 {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value;
}

function isConfig(field: Field): boolean {
  return isData(field) && !isSchema(field);
}
