import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { compareOf, type ItemReader, type Order, orderOf } from '../operation/local-query.js';
import type { Grouper } from '../operation/query-parts.js';
import { distinctKeyOf } from '../store/columns.js';
import { createProperty, type Property } from './property.js';

/** One level of groups. */
export interface Level extends Property {
  /** Compares keys; groups stand in this order. */
  readonly order: Order;
  /** Whether equal keys may be written in different ways, as `1.0` and `1.00`. */
  readonly hasLooseKeys: boolean;
}

const STRICT = /^(string|int|number|boolean|date|dateonly|bigint)$/;

export function createLevels(
  groupers: readonly Grouper[],
  model: ModelDefinition,
  reader: ItemReader<Model>,
  prepare: ((record: Model) => Model) | undefined,
): readonly Level[] {
  return groupers.map((grouper) => {
    const { property, direction } = grouper;
    const { read, ...rest } = createProperty(property, model, reader);
    const order = orderOf(compareOf(grouper, reader));
    return {
      ...rest,
      read: prepare ? (record) => read(prepare(record)) : read,
      order: direction === 'DESC' ? (a, b) => order(b, a) : order,
      hasLooseKeys: !STRICT.test(model.field(property)?.type ?? ''),
    };
  });
}

/** The key of a record at a level; null if the record has no value. */
export function groupKeyOf({ read }: Level, record: Model): unknown {
  const value = read(record);
  return distinctKeyOf(value) === null ? null : value;
}
