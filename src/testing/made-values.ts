import type { Issue } from '../errors/issue.js';
import type { FieldDefinition } from '../model/field-definition.js';
import { getMember } from '../util/data-path.js';
import { misuse } from './misuse.js';

/** What a value is made for. */
export interface MadeFor {
  readonly field: FieldDefinition;
  /** Which record it is, from 1. */
  readonly n: number;
  /** Name of the model. */
  readonly model: string;
}

const DAY = 86_400_000;

/** How often a value is mended after what was found wrong with it. */
const REPAIRS = 4;

/** A value that the field takes: the same for the same n. Throws `DefinitionError` where none is found. */
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

/** What a schema makes of a value that it takes. */
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

/** The values that a schema lists; libraries keep them in places of their own. */
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

/** All of a list, the nth first. */
function inTurn(list: readonly unknown[], n: number): readonly unknown[] {
  const at = list.length ? (n - 1) % list.length : 0;
  return [...list.slice(at), ...list.slice(0, at)];
}

/** A value changed after what was found wrong with it. */
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

/** Whole numbers go round between their bounds; what else is ordered is put on one. */
function withinRange(value: unknown, min: unknown, max: unknown, n: number): unknown {
  if (typeof value !== 'number') return min ?? max;
  const low = Math.ceil(Number(min ?? Math.min(0, Number(max))));
  const count = max === undefined ? n : Math.floor(Number(max)) - low + 1;
  return count > 0 ? low + ((n - 1) % count) : min;
}

/** The end stays: there the number is. */
function ofLength(text: string, min: number, max: number): string {
  return text.padStart(min, 'x').slice(max < text.length ? -max : 0) || '';
}
