import { DefinitionError } from '../errors/definition-error.js';
import type { Issue } from '../errors/issue.js';
import { formatMessage, type Messages } from '../errors/messages.js';
import type { WireField } from '../operation/operation-record.js';
import { type Data, type DataPath, getMember, isData, parsePath, readPath } from '../util/data-path.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import { copyPlain } from '../util/values.js';
import type { Embedding } from './embedding.js';
import type { Field, FieldConfig } from './field.js';
import { INVALID, isDate, plainTypes, rowReader, type TypeHandler } from './field-types.js';
import type { Kit } from './kit.js';
import type { Finding } from './validators.js';

const OPTIONS = /^(type|mapping|defaultValue|allowNull|persist|calculate|depends|convert|serialize|validators)$/;

/** What reading a value comes to: `issues` where it was refused and is handed out as received. */
interface Parsed {
  readonly value: unknown;
  readonly issues?: readonly Issue[] | undefined;
}

/** A declared field, ready to read, write and check values. */
export class FieldDefinition implements WireField {
  readonly mapping: string;
  readonly path: DataPath | undefined;
  readonly persist: boolean;
  /** The name of the type; `schema` or `model` where it has none. */
  readonly type: string;
  readonly raw: (row: Readonly<Data>) => unknown;
  /** How embedded models are kept; undefined for plain values. */
  readonly embedding: Embedding | undefined;
  readonly config: FieldConfig;
  readonly compare: TypeHandler['compare'];
  private readonly handler: TypeHandler;
  private readonly schema: StandardSchemaV1 | undefined;

  constructor(
    readonly name: string,
    /** Place in the model's list of fields. */
    readonly index: number,
    field: Field,
    naming: (name: string) => string,
    kit: Kit,
  ) {
    const config = (isData(field) && !isSchema(field) ? field : { type: field }) as FieldConfig;
    const option = Object.keys(config).find((each) => !OPTIONS.test(each));
    if (option) throw new DefinitionError('field-option', { option, field: name });
    const { mapping = naming(name), persist = true, calculate } = config;
    // A type that is undefined is no choice, but an import that runs in a circle.
    const type = 'type' in config ? config.type : 'auto';
    this.config = config;
    this.schema = isSchema(type) ? type : undefined;
    this.embedding = kit.embed?.(type);
    this.type = typeof type === 'string' ? type : this.schema ? 'schema' : 'model';
    const handler = getMember({ ...plainTypes, ...kit.fieldTypes }, this.schema || this.embedding ? 'auto' : this.type);
    if (!handler) throw new DefinitionError('field-type', { field: name, type });
    this.handler = handler as TypeHandler;
    this.compare = this.handler.compare;
    const invertible = typeof mapping === 'string';
    this.mapping = invertible ? mapping : name;
    this.path = invertible ? parsePath(mapping) : undefined;
    if (this.path?.some((each) => !each || each === '__proto__'))
      throw new DefinitionError('field-mapping', { mapping, field: name });
    this.raw = invertible ? rowReader(this.path as DataPath) : mapping;
    this.persist = persist && !calculate;
  }

  /** Whether users may set it. */
  get writable(): boolean {
    const { calculate, serialize } = this.config;
    return !calculate && Boolean(this.path || serialize);
  }

  /** Whether what was received can be handed out as it is, without being kept apart. */
  direct(raw: unknown): boolean {
    if (this.config.convert) return false;
    if (raw === undefined) return true;
    return !this.schema && (raw === null || (typeof raw !== 'object' && this.handler.is(raw)));
  }

  /** What was received, as the field's value; a value that is refused is handed out as received (never throws). */
  read(raw: unknown): unknown {
    return this.embedding ? this.embedding.read(raw) : this.parse(raw).value;
  }

  /** A value that users gave: kept where it fits, read like a received one where it does not. */
  accept(value: unknown): unknown {
    if (value === null || value === undefined || this.schema || this.handler.is(value)) return copyPlain(value);
    const read = this.handler.read(value);
    return read === INVALID ? value : read;
  }

  write(value: unknown, row: Readonly<Data>): unknown {
    const { serialize } = this.config;
    if (serialize) return serialize(value, row);
    if (this.embedding) return this.embedding.write(value);
    if (value !== null && value !== undefined && this.handler.write)
      return this.handler.write(value, this.path && readPath(row, this.path));
    return isDate(value) ? value.toISOString() : value;
  }

  /** The value of a new record that was created without one. */
  defaultValue(): unknown {
    const { defaultValue } = this.config;
    return typeof defaultValue === 'function' ? (defaultValue as () => unknown)() : copyPlain(defaultValue);
  }

  /** What is wrong with a value that users set, or a new record has. */
  check(value: unknown, messages?: Messages): Issue[] {
    const schema = this.schema && !this.mayMiss(value) ? (this.parse(this.write(value, {})).issues ?? []) : [];
    const wrong = value !== null && value !== undefined && !this.schema && !this.handler.is(value);
    if (wrong) return [this.issue({ code: 'type', params: { type: this.type } }, messages)];
    return [...schema, ...this.findings(value, messages)];
  }

  /** What is wrong with a value that was received. */
  checkReceived(raw: unknown, messages?: Messages): readonly Issue[] {
    if (raw === undefined) return [];
    const { value, issues } = this.parse(raw, messages);
    return (this.mayMiss(raw) ? undefined : issues) ?? this.findings(value, messages);
  }

  /** Whether no type or schema has a say: the value is not there, or null where it may be. */
  private mayMiss(value: unknown): boolean {
    return value === undefined || (value === null && this.config.allowNull === true);
  }

  private parse(received: unknown, messages?: Messages): Parsed {
    const refuse = (message: string, code: string): Parsed => ({
      value: received,
      issues: [{ path: [this.name], message, code }],
    });
    try {
      const { convert } = this.config;
      const raw = convert ? convert(received) : received;
      if (this.schema) {
        const result = this.schema['~standard'].validate(raw);
        if (result instanceof Promise) {
          result.catch(() => undefined);
          return refuse('has a schema that is not synchronous', 'schema');
        }
        return result.issues
          ? { value: received, issues: result.issues.map((issue) => this.schemaIssue(issue)) }
          : result;
      }
      if (raw === null || raw === undefined || this.handler.is(raw)) return { value: raw };
      const value = this.handler.read(raw);
      if (value !== INVALID) return { value };
      return { value: raw, issues: [this.issue({ code: 'type', params: { type: this.type } }, messages)] };
    } catch (error) {
      return refuse(String(error), 'schema');
    }
  }

  private schemaIssue({ message, path = [], ...more }: StandardSchemaV1.Issue): Issue {
    // Spread first: a path may be of a class that extends Array, and such a class makes what `map` returns.
    const inside = [...path].map((each) => (typeof each === 'object' ? each.key : each));
    return { path: [this.name, ...inside], message, code: String((more as { code?: unknown }).code ?? 'schema') };
  }

  private findings(value: unknown, messages: Messages | undefined): Issue[] {
    const { allowNull, validators = [] } = this.config;
    const missing = value === undefined || value === null;
    const found = validators.map((validator) => (!missing || validator.missing ? validator(value) : undefined));
    if (value === null && !allowNull && !this.schema) found.unshift({ code: 'required' });
    return found.flatMap((finding) => (finding ? this.issue(finding, messages) : []));
  }

  private issue({ code, params, message, text }: Finding, messages: Messages | undefined): Issue {
    const texts = text === undefined ? messages : { [code]: text, ...messages };
    return {
      path: [this.name],
      message: message ?? formatMessage(code, params, texts),
      code,
      ...(params && { params }),
    };
  }
}

/** Whether a declaration is a schema: an object or function of Standard Schema. */
function isSchema(value: unknown): value is StandardSchemaV1 {
  return value instanceof Object && '~standard' in value;
}
