import { describe } from '../errors/messages.js';
import { DefinitionError } from '../errors/mistakes.js';
import { getMember } from '../util/data-path.js';
import type { ModelPart } from './model-part.js';

/** The names of the parts that the package contains. */
export type PartName = 'children';

/** A hook of a list of parts: the hook of the last part that has it. */
export function hookOf<K extends Exclude<keyof ModelPart, 'name'>>(
  parts: readonly ModelPart[],
  hook: K,
): ModelPart[K] | undefined {
  return parts.findLast((part) => part[hook])?.[hook];
}

/** Throws `DefinitionError` for a list with anything but parts. */
export function checkParts(parts: readonly ModelPart[], model: string): void {
  if (!Array.isArray(parts)) throw new DefinitionError('part-invalid', { model, value: describe(parts) });
  for (const part of parts as readonly ModelPart[]) {
    if (typeof getMember(part, 'name') !== 'string')
      throw new DefinitionError('part-invalid', { model, value: `a list with ${describe(part)}` });
  }
}

/** The error of a declaration that needs a part which the class does not have in its list. */
export function partMissing(part: PartName, model: string, what: string): DefinitionError {
  return new DefinitionError('part-missing', { model, part, what });
}
