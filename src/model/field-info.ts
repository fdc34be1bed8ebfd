import { targetOf } from '../operation/reference-target.js';
import { isData } from '../util/data-path.js';
import { nameInWords } from '../util/name-in-words.js';
import type { AnyModel, FieldConfig, FieldTypes, ModelType } from './field.js';
import { type FieldDefinition, typeOf } from './field-definition.js';
import { constraintsOf, type FieldLimits, isRequired, limitsOf } from './field-limits.js';
import { isSchema } from './field-types.js';
import type { VALUES } from './infer.js';
import type { Model } from './model.js';
import type { ModelDefinition } from './model-definition.js';
import { DEFINITION, FIELD_INFOS } from './symbols.js';
import type { Constraint } from './validators.js';

/** A field as a form, a grid or an importer sees it. Frozen. */
export interface FieldInfo<V = unknown, K extends string = string> {
  /** The name of the field. */
  readonly name: K;
  /** The name for people: the option `label`, or the field's name in words. */
  readonly label: string;
  /** The name of the type; `'schema'` for a schema, `'model'` for an embedded model and for a list of one. */
  readonly type: keyof FieldTypes | 'schema' | 'model';
  /** Whether this is the field of the record's id. */
  readonly isId: boolean;
  /** Whether a validator (`presence`) demands a value. */
  readonly required: boolean;
  /** Whether `null` is a valid value. */
  readonly allowNull: boolean;
  /** Whether the field cannot be set: it is computed, or its `mapping` is a function without `serialize`. */
  readonly readOnly: boolean;
  /** Whether writers send the field. */
  readonly persisted: boolean;
  /** Whether the value is computed from other fields, by `calculate`. */
  readonly computed: boolean;
  /**
   * The values of an enum: those of the type `'enum'`, or the list of `inclusion`, else the options of a schema that has a list of them, such as zod's `enum` or
   * valibot's `picklist`. Undefined if others are valid too, or if they are not known.
   */
  readonly values: readonly Exclude<V, null | undefined>[] | undefined;
  /** The limits by the names that inputs of HTML have for them. */
  readonly limits: FieldLimits;
  /** The model that the field refers to (`references()`) or embeds. */
  readonly model: AnyModel | undefined;
  /** Whether the field embeds a list of records. */
  readonly isList: boolean;
  /**
   * Returns the value of the field in a new record that is created without one.
   *
   * @example
   * ```ts
   * const empty = Object.fromEntries(Object.values(fieldsOf(User)).map((field) => [field.name, field.defaultValue()]));
   * ```
   */
  defaultValue(): V | undefined;
}

/** The fields of a model by name, in the order of their declaration. */
export type FieldInfos<V> = { readonly [K in keyof V & string]: FieldInfo<V[K], K> };

/** The members of a model class that tell its fields. */
interface Inner extends AnyModel {
  readonly [DEFINITION]?: ModelDefinition;
  readonly [FIELD_INFOS]?: object;
  references(): Readonly<Record<string, unknown>>;
}

/** The fields of the models of records: by their names and types, or any fields where no field is known. */
type FieldsOf<M> = M extends { readonly [VALUES]: infer V } ? FieldInfos<V> : Readonly<Record<string, FieldInfo>>;

/**
 * The fields of a model by name, in the order of their declaration, for forms, columns and importers: label, type, limits, and
 * whether a field is required, read-only, persisted or computed. Frozen; made at the first call.
 *
 * @example
 * ```ts
 * const columns = Object.values(fieldsOf(User)).map(({ name, label }) => ({ name, label }));
 * fieldsOf(User).name.label; // 'Name'
 * ```
 */
export function fieldsOf<M extends Model>(model: ModelType<M>): FieldsOf<M> {
  const Class = model as ModelType<Model> as Inner;
  if (Object.hasOwn(Class, FIELD_INFOS)) return Class[FIELD_INFOS] as FieldsOf<M>;
  const { [DEFINITION]: definition } = Class;
  const infos = definition ? fieldInfosOf(Class, definition) : {};
  // A frozen class cannot keep the fields, so they are made again.
  Reflect.defineProperty(Class, FIELD_INFOS, { value: infos });
  return infos as FieldsOf<M>;
}

function fieldInfosOf(Class: Inner, { fields, idField }: ModelDefinition): object {
  return Object.freeze(
    Object.fromEntries(fields.map((field) => [field.name, infoOf(Class, field, field === idField)] as const)),
  );
}

function infoOf(Class: Inner, field: FieldDefinition, isId: boolean): FieldInfo {
  const { name, config, persist, writable } = field;
  const { label = nameInWords(name), allowNull = false, calculate } = config;
  const type = typeOf(config);
  const constraints = constraintsOf(config);
  const embedded = (Array.isArray(type) ? type[0] : type) as AnyModel | string;
  return Object.freeze<FieldInfo>({
    name,
    label,
    type: field.type as FieldInfo['type'],
    isId,
    required: isRequired(constraints),
    allowNull,
    readOnly: !writable,
    persisted: persist,
    computed: calculate !== undefined,
    values: valuesOf(config, constraints) as FieldInfo<{}>['values'],
    limits: limitsOf(constraints),
    // A getter, because a model may refer to one that is declared later.
    get model() {
      if (typeof embedded === 'function' && DEFINITION in embedded) return embedded;
      const references = Class.references();
      return Object.hasOwn(references, name) ? targetOf(references[name]) : undefined;
    },
    isList: Array.isArray(type),
    defaultValue: () => field.defaultValue(),
  });
}

/** The values that are valid, if they are a list. */
function valuesOf({ type, values }: FieldConfig, constraints: readonly Constraint[]): readonly unknown[] | undefined {
  const included = constraints.flatMap((each) => (each.kind === 'inclusion' ? [each.list] : []));
  const lists: readonly (readonly unknown[])[] = values ? [values, ...included] : included;
  const [first, ...others] = lists.length > 0 ? lists : [schemaOptions(type)];
  const sets = others.map((list) => new Set(list));
  return first && Object.freeze(first.filter((value) => sets.every((set) => set.has(value))));
}

/** The options of a schema, or of the schema that it makes optional or nullable. Other libraries than zod and valibot may have none. */
function schemaOptions(schema: unknown): readonly unknown[] | undefined {
  if (!isSchema(schema)) return undefined;
  const { options, wrapped, unwrap, def } = schema as {
    readonly options?: unknown;
    readonly wrapped?: unknown;
    readonly def?: { readonly type?: unknown; readonly innerType?: unknown };
    unwrap?(): unknown;
  };
  // The options of a union are schemas.
  if (Array.isArray(options)) return options.some((each) => isData(each) || isSchema(each)) ? undefined : [...options];
  // An array has an inner type, too, but its items are not its values.
  const isWrapper = unwrap !== undefined && def?.type !== 'array';
  return schemaOptions(wrapped ?? (isWrapper ? def?.innerType : undefined));
}
