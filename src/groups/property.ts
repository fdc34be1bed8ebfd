import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { ItemReader } from '../operation/local-query.js';

/** A property that groups or summaries read from many records. */
export interface Property {
  readonly field: string;
  /** Whether it is a field whose values the record holds, not a getter or a calculated field. */
  readonly stored: boolean;
  read(record: Model): unknown;
}

/** Throws `UnsupportedQueryError` for a name that is neither a field nor a getter. */
export function createProperty(name: string, model: ModelDefinition, reader: ItemReader<Model>): Property {
  const field = model.field(name);
  const stored = field !== undefined && !field.derived;
  return { field: name, stored, read: (reader.peek ?? reader.read)(name) };
}
