import type { Issue } from '../errors/validation-error.js';
import type { FieldDefinition } from '../model/field-definition.js';
import { getMember } from '../util/data-path.js';
import { misuse } from './refusal.js';

/** The field and record that a value is generated for. */
export interface MadeFor {
  readonly field: FieldDefinition;
  /** Number of the record, from 1. */
  readonly n: number;
  /** Name of the model. */
  readonly model: string;
}

const DAY = 86_400_000;

/** Maximal number of times that a value is repaired after failed validation. */
const REPAIRS = 4;

/** Generates a valid value of a field, always the same for the same `n`. Throws `DefinitionError` if it finds none. */
export function madeValue({ field, n, model }: MadeFor): unknown {
  const { config } = field;
  const given = field.defaultValue();
  const isRight = (value: unknown) => field.check(value, false, {}).length === 0;
  if (given !== undefined && isRight(given)) return given;
  if (config.allowNull && isRight(null)) return null;
  let why = '';
  for (const candidate of candidatesOf(field, n)) {
    let value = candidate;
    for (let i = 0; i <= REPAIRS; i++) {
      const [issue] = field.check(value, false, {});
      if (!issue) return accepted(field, value);
      why ||= issue.message;
      value = repaired(value, issue, field.name, n);
    }
  }
  throw misuse('build-value', { field: field.name, model, why });
}

/** The value after the field's schema has transformed it; other fields keep the value. */
function accepted(field: FieldDefinition, value: unknown): unknown {
  return field.type === 'schema' ? field.read(value) : value;
}

function candidatesOf({ name, type, config }: FieldDefinition, n: number): readonly unknown[] {
  const text = `${name} ${n}`;
  const day = new Date(Date.UTC(2026, 0, 1) + (n - 1) * DAY);
  const dateonly = day.toISOString().slice(0, 10);
  const made: Readonly<Record<string, unknown>> = {
    auto: text,
    string: text,
    int: n,
    number: n,
    boolean: false,
    date: day,
    dateonly,
    decimal: `${n}.00`,
    bigint: BigInt(n),
    json: {},
    enum: inTurn(config.values ?? [], n)[0],
  };
  if (Object.hasOwn(made, type)) return [made[type]];
  const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const texts = [
    text,
    `${name}${n}@example.com`,
    `https://example.com/${name}/${n}`,
    uuid,
    day.toISOString(),
    dateonly,
  ];
  return [...inTurn(choicesOf(config.type), n), ...texts, n, false, BigInt(n), day, [], {}, null];
}

/** The values that a schema allows. Each schema library stores them under another name. */
function choicesOf(schema: unknown): readonly unknown[] {
  for (const name of ['options', 'values', 'literal', 'value', 'enum', 'json']) {
    const found = (schema as Readonly<Record<string, unknown>>)[name];
    if (typeof found === 'object' && found !== null)
      return valuesIn(found).map((each) => getMember(each, 'unit') ?? each);
    if (found !== undefined && typeof found !== 'function') return [found];
  }
  return [];
}

function valuesIn(found: object): readonly unknown[] {
  return Symbol.iterator in found ? [...(found as Iterable<unknown>)] : Object.values(found);
}

/** A list rotated so that the nth item comes first. */
function inTurn(list: readonly unknown[], n: number): readonly unknown[] {
  const at = list.length ? (n - 1) % list.length : 0;
  return [...list.slice(at), ...list.slice(0, at)];
}

/** Repairs a value according to a validation issue. */
function repaired(value: unknown, { code, params = {} }: Issue, name: string, n: number): unknown {
  const { min, max, list } = params as { min?: unknown; max?: unknown; list?: readonly unknown[] };
  switch (code) {
    case 'email':
      return `${name.replace(/\W/g, '')}${n}@example.com`;
    case 'url':
      return `https://example.com/${encodeURIComponent(name)}/${n}`;
    case 'inclusion':
      return inTurn(list ?? [], n)[0];
    case 'exclusion':
      return typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}x` : value;
    case 'min':
    case 'max':
    case 'range':
      return withinRange(value, min, max, n);
    case 'length':
    case 'minLength':
    case 'maxLength':
      return typeof value === 'string' ? ofLength(value, Number(min), Number(max)) : value;
    default:
      return value;
  }
}

/** A value within bounds: numbers vary with `n`, other values are set to a bound. */
function withinRange(value: unknown, min: unknown, max: unknown, n: number): unknown {
  if (typeof value !== 'number') return min ?? max;
  const low = Math.ceil(Number(min ?? Math.min(0, Number(max))));
  const count = max === undefined ? n : Math.floor(Number(max)) - low + 1;
  return count > 0 ? low + ((n - 1) % count) : min;
}

/** A text of valid length. It keeps its end, which holds the number that makes it unique. */
function ofLength(text: string, min: number, max: number): string {
  return text.padStart(min, 'x').slice(max < text.length ? -max : 0) || '';
}
