import type { AnyModel, ReferenceConfig } from '../model/field.js';

/** The model of what `references()` says of a field; undefined: it names none. */
export function targetOf(reference: unknown): AnyModel | undefined {
  return typeof reference === 'function'
    ? (reference as AnyModel)
    : (Object(reference) as Partial<ReferenceConfig>).model;
}
