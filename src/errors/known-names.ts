import { nearestName } from '../util/nearest.js';

/**
 * The end of a text about an unknown name: the known name that was probably meant, or else all of them. `what` says what they are,
 * such as `its options`.
 */
export function hintOf(given: string, known: readonly string[], what: string): string {
  const meant = nearestName(given, known);
  return meant === undefined ? `; ${what} are ${known.join(', ')}` : `: did you mean '${meant}'?`;
}

/** As {@link hintOf}, about a name that is not a field of a model. */
export function fieldHint(given: string, fields: readonly { readonly name: string }[]): string {
  return hintOf(
    given,
    fields.map(({ name }) => name),
    'its fields',
  );
}
