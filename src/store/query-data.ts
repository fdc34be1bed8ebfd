import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { Filter, Grouper, Sorter } from '../operation/query-parts.js';
import { LongNumber } from '../util/long-number.js';
import { isPlainObject } from '../util/values.js';

/** A query as JSON can hold it, made by `query.toJSON()`. */
export interface QueryData {
  /** The name of the model. */
  readonly model: string;
  readonly sorters?: readonly Pick<Sorter, 'property' | 'direction' | 'locale' | 'sortType' | 'nulls'>[];
  readonly filters?: readonly Omit<Filter, 'convert' | 'filterFn'>[];
  readonly groupers?: readonly Grouper[];
  readonly search?: string;
  readonly fields?: readonly string[];
  readonly params?: Readonly<Record<string, unknown>>;
  readonly pathParams?: Readonly<Record<string, string | number>>;
}

/** Writes the members of a query as plain data. Throws `UnsupportedQueryError` for a function, and for a value that JSON cannot hold. */
export function writeQueryData(parts: object, { name: model }: ModelDefinition): QueryData {
  return { model, ...(plainCopy(parts, '') as object) };
}

/** Copies a value as JSON holds it. Throws `UnsupportedQueryError`, with the path, for a function, and for a value that JSON cannot hold. */
export function plainCopy(value: unknown, path: string): unknown {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (typeof value === 'bigint' || value instanceof LongNumber) return String(value);
  if (Array.isArray(value)) return value.map((each, index) => plainCopy(each, `${path}.${index}`));
  const inside = path && `${path}.`;
  if (isPlainObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, each]) =>
        each === undefined ? [] : [[name, plainCopy(each, inside + name)]],
      ),
    );
  const { toJSON } = Object(value) as { toJSON?: unknown };
  if (typeof toJSON === 'function') return plainCopy(toJSON.call(value), path);
  const isJson = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  if (!isJson) throw new UnsupportedQueryError('query-travel', { path });
  return value;
}
