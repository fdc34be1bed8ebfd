import type { BaseModel } from '../model/base-model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { inner } from '../model/record.js';
import { CACHE, CORE, ROW } from '../model/symbols.js';
import type { ItemReader } from '../operation/local-query.js';

/** A property that is read of many records. */
export interface Property {
  read(record: BaseModel): unknown;
  /** The member of the row that holds it; undefined where it is never handed out as it came. */
  readonly member: string | undefined;
  /** The `typeof` of what is. */
  readonly kind: string | undefined;
}

/** Throws `UnsupportedQueryError` for what is none. */
export function createProperty(name: string, model: ModelDefinition, reader: ItemReader<BaseModel>): Property {
  const field = model.field(name);
  const { convert, calculate } = field?.config ?? {};
  const [member, ...deeper] = field?.path ?? [];
  const plain = !convert && !calculate && deeper.length === 0 && member !== undefined && !(member in Object.prototype);
  const kind = { string: 'string', int: 'number', number: 'number', boolean: 'boolean' }[field?.type ?? ''];
  return { read: (reader.peek ?? reader.read)(name), member: plain && kind ? member : undefined, kind };
}

/** Its value of a record. Calls nothing where the row holds what is handed out. */
export function valueAt({ read, member, kind }: Property, record: BaseModel): unknown {
  const own = inner(record);
  let value: unknown;
  if (member !== undefined && own[CORE] === undefined && own[CACHE] === undefined) value = own[ROW][member];
  return typeof value === kind ? value : read(record);
}
