import { DefinitionError } from '../errors/mistakes.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import type { ActionConfig, DeclaredAction } from './action-types.js';
import type { AnyModel, Declared, FieldOptions, FieldTypes, TypeCode, TypeName } from './field.js';
import { type FieldTypeHandler, plainTypes } from './field-types.js';
import { createAction } from './parts/declared-actions.js';
import { embeddingOf } from './parts/embedded.js';
import { bigintType, decimalType } from './parts/exact-types.js';
import { referenceHooks } from './parts/references.js';
import { ACTION, REFERENCES, TYPE_CODE } from './symbols.js';

// Declarations that bring their code along: a bundle has the code of what its models declare, and nothing else.

/**
 * Declares an exact decimal number, kept as the text of its digits.
 *
 * @example
 * ```ts
 * class Invoice extends Model.define({
 *   fields: { id: 'int', total: decimal(), discount: decimal({ allowNull: true }) },
 * }) {}
 * new Invoice({ total: '0.10' }).total; // '0.10'
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function decimal<const C extends FieldOptions = {}>(options?: C): Declared<'decimal', C> {
  return declare('decimal', { handler: decimalType }, options);
}

/**
 * Declares a whole number of any length.
 *
 * @example
 * ```ts
 * class Tweet extends Model.define({ fields: { id: bigint(), likes: bigint({ defaultValue: 0n }) } }) {}
 * Tweet.fromRow({ id: '9007199254740993' }).id; // 9007199254740993n
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function bigint<const C extends FieldOptions = {}>(options?: C): Declared<'bigint', C> {
  return declare('bigint', { handler: bigintType }, options);
}

/**
 * Declares records of another model inside the record: one of them, or a list.
 *
 * An embedded record is part of its holder: it has no address, and is loaded, validated and saved with it. It may be edited in place,
 * which is an edit of its holder; a list is replaced: `set('former', (old) => [...old, new Address()])`. `new`, `add()` and `set()` take
 * plain values for it, an assignment a record. Its errors are listed under the field of the holder, with their path.
 *
 * @example
 * ```ts
 * class Address extends Model.define({ fields: { street: 'string', city: 'string' } }) {}
 * class Customer extends Model.define({
 *   fields: { id: 'int', address: embed(Address), former: embed([Address], { defaultValue: [] }) },
 * }) {}
 * new Customer({ address: { city: 'Bern' } }).address.city; // 'Bern'
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function embed<const T extends AnyModel | readonly [AnyModel], const C extends FieldOptions = {}>(
  model: T,
  options?: C,
): Declared<T, C> {
  return declare(model, { embed: embeddingOf }, options);
}

/**
 * Declares the id of a record of another model, which `references()` in the class body names. New records are sent before the records that
 * refer to them, and their new ids replace the temporary ids in these, which are never sent. References of embedded records are not followed.
 *
 * @example
 * ```ts
 * class Customer extends Model.define({ fields: { id: 'int' } }) {}
 * class Invoice extends Model.define({
 *   fields: { id: 'int', customerId: reference('int'), copyOf: reference('int', { allowNull: true }) },
 * }) {
 *   static override references() {
 *     return { customerId: Customer, copyOf: Invoice };
 *   }
 * }
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function reference<const T extends TypeName | StandardSchemaV1, const C extends FieldOptions = {}>(
  type: T,
  options?: C,
): C & { readonly type: T };
/**
 * Declares a reference by an id of a type that a function declares.
 *
 * @example
 * ```ts
 * const tweetId = reference(bigint());
 * ```
 */
export function reference<const D extends Declared<keyof FieldTypes, {}>, const C extends FieldOptions = {}>(
  type: D,
  options?: C,
): C & D;
// @__NO_SIDE_EFFECTS__
export function reference(type: unknown, options?: object): object {
  const declared = isDeclaration(type) ? type : { type };
  return { ...declared, ...options, [REFERENCES]: referenceHooks };
}

/**
 * Declares an action: a request beyond create, read, update and destroy.
 *
 * It goes to the address of the record followed by the name of the action, or to that of the collection with `on: 'collection'`. With
 * `reply: 'record'` the response becomes the new row of the record.
 *
 * @example
 * ```ts
 * class Order extends Model.define({
 *   fields: { id: 'int', state: 'string' },
 *   actions: { cancel: action({ reply: 'record' }), export: action({ method: 'GET', on: 'collection', reply: 'blob' }) },
 *   proxy: { url: '/orders' },
 * }) {}
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function action<const A extends ActionConfig = {}>(config?: A): DeclaredAction<A> {
  return { ...config, [ACTION]: createAction } as DeclaredAction<A>;
}

/**
 * Makes a field type of an application: returns the function that declares fields of this type. `interface FieldTypes` tells TypeScript its
 * value, and what a server may send for it. Throws `DefinitionError` for the name of a type that is built in.
 *
 * @example
 * ```ts
 * declare module 'repose' {
 *   interface FieldTypes {
 *     color: [value: string, received: string];
 *   }
 * }
 * const color = fieldType('color', {
 *   is: (value) => typeof value === 'string' && /^#[0-9a-f]{6}$/.test(value),
 *   read: (received) => (typeof received === 'string' ? received.toLowerCase() : undefined),
 * });
 * class Theme extends Model.define({ fields: { id: 'int', accent: color({ allowNull: true }) } }) {}
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function fieldType<K extends Exclude<keyof FieldTypes, TypeName | 'decimal' | 'bigint'>>(
  name: K,
  handler: FieldTypeHandler,
): <const C extends FieldOptions = {}>(options?: C) => Declared<K, C> {
  const isBuiltIn = [...Object.keys(plainTypes), 'decimal', 'bigint'].includes(name);
  if (isBuiltIn) throw new DefinitionError('field-type-built-in', { type: name });
  return (options) => declare(name, { handler }, options);
}

function declare<T, C extends object>(
  type: T,
  code: Omit<TypeCode<T>, 'type'>,
  options: C | undefined,
): Declared<T, C> {
  return { ...options, type: { [TYPE_CODE]: { ...code, type } } } as Declared<T, C>;
}

function isDeclaration(value: unknown): value is Declared<unknown> {
  return (value as Partial<Declared<unknown>> | undefined)?.type?.[TYPE_CODE] !== undefined;
}
