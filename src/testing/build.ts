import { describe } from '../errors/messages.js';
import { isValidId } from '../http/url.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { FieldDefinition } from '../model/field-definition.js';
import type { ValuesOf } from '../model/infer.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { MODEL, type OperationRecord } from '../operation/operation-record.js';
import { type Data, getMember, isData, setMember } from '../util/data-path.js';
import { madeValue } from './made-values.js';
import { misuse } from './misuse.js';

/** Values that a record shall have; the rest is made up. */
export type GivenValues<M> = Partial<ValuesOf<M>>;

/** Makes records that look saved, counting each model's from 1. */
export interface Builder {
  /** As {@link build}. */
  build<M extends BaseModel>(model: ModelType<M>, values?: GivenValues<M>): M;
  /** As {@link buildList}. */
  buildList<M extends BaseModel>(
    model: ModelType<M>,
    count: number,
    values?: GivenValues<M> | ((index: number) => GivenValues<M>),
  ): M[];
}

/** Where a model's count is kept: with its id field, which all classes of a model share. */
const COUNT: unique symbol = Symbol('built');

interface Counter {
  count: number;
}

/**
 * A saved record for a test, without a request: neither phantom nor dirty, with the values that are given. The rest is made up
 * by type, the same for the same count, and such that the model finds nothing wrong with it: a field that may be null is null,
 * one with a `defaultValue` has it, one with listed values the next of them. The id is the model's next number, or the given one.
 *
 * Throws `DefinitionError` for a field that no made-up value fits.
 *
 * @example
 * ```ts
 * import { build } from 'repose/testing';
 *
 * const ada = build(User, { name: 'Ada' });
 * show(ada.phantom, ada.dirty, ada.name); // false false Ada
 * ```
 */
export function build<M extends BaseModel>(model: ModelType<M>, values?: GivenValues<M>): M {
  return construct(model, values, counterOf);
}

/**
 * Several saved records. Their values are the same, but for what is made up; a function gives each its own.
 *
 * @example
 * ```ts
 * import { buildList } from 'repose/testing';
 *
 * const users = buildList(User, 3, (index) => ({ name: `User no ${index}` }));
 * ```
 */
export function buildList<M extends BaseModel>(
  model: ModelType<M>,
  count: number,
  values?: GivenValues<M> | ((index: number) => GivenValues<M>),
): M[] {
  return constructAll(model, count, values, counterOf);
}

/**
 * A `build` whose counts begin anew, so that a test gets the same records whatever ran before it: make one per test.
 *
 * @example
 * ```ts
 * import { builder } from 'repose/testing';
 *
 * const { build, buildList } = builder();
 * show(build(User).id, buildList(User, 2).map(({ id }) => id)); // 1 [2, 3]
 * ```
 */
export function builder(): Builder {
  const counters = new Map<FieldDefinition, Counter>();
  const own = ({ idField }: ModelDefinition) => {
    const counter = counters.get(idField) ?? { count: 0 };
    counters.set(idField, counter);
    return counter;
  };
  return {
    build: (model, values) => construct(model, values, own),
    buildList: (model, count, values) => constructAll(model, count, values, own),
  };
}

type CounterOf = (model: ModelDefinition) => Counter;

function counterOf({ idField }: ModelDefinition): Counter {
  const holder = idField as FieldDefinition & { [COUNT]?: Counter };
  if (!holder[COUNT]) Object.defineProperty(holder, COUNT, { value: { count: 0 } });
  return holder[COUNT] as Counter;
}

function constructAll<M extends BaseModel>(
  model: ModelType<M>,
  count: number,
  values: GivenValues<M> | ((index: number) => GivenValues<M>) | undefined,
  counter: CounterOf,
): M[] {
  if (!Number.isSafeInteger(count) || count < 0) throw misuse('build-count', { count });
  return Array.from({ length: count }, (_, index) =>
    construct(model, typeof values === 'function' ? values(index) : values, counter),
  );
}

function construct<M extends BaseModel>(model: ModelType<M>, values: object | undefined, counter: CounterOf): M {
  const definition = definitionOf(model);
  if (!definition) throw misuse('build-model', { what: nameOf(model) });
  const given = values ?? {};
  const id = getMember(given, definition.idField.name);
  if (id !== undefined && !isValidId(id)) throw misuse('build-id', { id: describe(id) });
  if (!isData(given)) throw misuse('build-model', { what: `${nameOf(given)} as values` });
  if (MODEL in given) throw misuse('build-model', { what: 'a record as values' });
  return create(model, allValues(definition, given, counter));
}

/** Values of all fields that records can be given. */
function allValues(
  definition: ModelDefinition,
  given: Data,
  counterOfModel: CounterOf,
  inside: readonly FieldDefinition[] = [],
): Data {
  const { idField, fields, name } = definition;
  const counter = counterOfModel(definition);
  const own = given[idField.name];
  const number = Number(own);
  // What is counted goes on behind the largest id that was given.
  const n = own !== undefined && Number.isSafeInteger(number) && number > 0 ? number : counter.count + 1;
  counter.count = Math.max(counter.count, n);
  const values: Data = {};
  const isGiven = (field: FieldDefinition) => given[field.name] !== undefined;
  for (const field of fields) {
    if (isGiven(field) || !field.writable) continue;
    // Of a member and what lies inside it one is enough: what is given, else the parts.
    if (fields.some((other) => isInside(field, other) && isGiven(other))) continue;
    if (fields.some((other) => isInside(other, field) && other.writable)) continue;
    const value =
      field === idField
        ? idOf(field, n, name, inside.length > 0)
        : field.embedding
          ? embedded(field, counterOfModel, [...inside, idField])
          : madeValue({ field, n, model: name });
    if (value !== undefined) values[field.name] = value;
  }
  for (const [each, value] of Object.entries(given)) if (value !== undefined) setMember(values, each, value);
  return values;
}

/** Whether the member of a field lies inside that of another. */
function isInside({ path = [] }: FieldDefinition, { path: holder = [] }: FieldDefinition): boolean {
  return holder.length > 0 && path.length > holder.length && holder.every((name, i) => path[i] === name);
}

function idOf(field: FieldDefinition, n: number, model: string, inside: boolean): unknown {
  // Parts of a record have ids only where they say so.
  if (inside && field.type === 'auto') return undefined;
  const simple = { auto: n, int: n, number: n, bigint: BigInt(n) }[field.type] ?? String(n);
  return field.check(simple, false, {}).length ? madeValue({ field, n, model }) : simple;
}

/** A part of a record: of a list none, of a model one that holds no other of its kind. */
function embedded(field: FieldDefinition, counter: CounterOf, inside: readonly FieldDefinition[]): unknown {
  const { type, allowNull } = field.config;
  const preset = field.defaultValue();
  if (preset !== undefined) return preset;
  if (Array.isArray(type)) return [];
  if (allowNull && field.check(null, false, {}).length === 0) return null;
  const Part = type as unknown as ModelType<BaseModel>;
  const definition = definitionOf(Part) as ModelDefinition;
  if (inside.includes(definition.idField)) return undefined;
  return create(Part, allValues(definition, {}, counter, inside));
}

function create<M extends BaseModel>(model: ModelType<M>, values: Data): M {
  return new (model as unknown as new (data: object, options: object) => M)(values, { phantom: false });
}

function definitionOf(model: ModelType<BaseModel> | undefined): ModelDefinition | undefined {
  return (model?.prototype as OperationRecord | undefined)?.[MODEL] as ModelDefinition | undefined;
}

function nameOf(value: unknown): string {
  return typeof value === 'function' ? `the function '${value.name}'` : describe(value);
}
