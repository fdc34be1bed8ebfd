import { type Filter, operatorOf } from './query.js';

/**
 * The filters that a server has to apply to a list, all of which must hold; undefined if no record can pass. A condition with an empty
 * list needs no server: `in` lets no record pass and `nin` lets all pass (H8). Trees are simplified accordingly, so that no dialect
 * gets an empty list. Takes active filters. A list without such conditions is returned as it is, so that values cached for it stay valid.
 */
export function neededFilters(filters: readonly Filter[]): readonly Filter[] | undefined {
  const { left, decided } = joined(filters, false);
  return decided ? undefined : left;
}

/** The filter without conditions that are decided already; a boolean if the whole filter is decided. */
function simplified(filter: Filter): Filter | boolean {
  const { and, or, not, filterFn, value } = filter;
  if (filterFn) return filter;
  const list = and ?? or;
  if (list) {
    const { left, decided } = joined(list, Boolean(or));
    if (decided || left.length === 0) return decided ? Boolean(or) : !or;
    if (left === list) return filter;
    // Dialects without trees can express the last member alone. A function stays in its tree, where every dialect refuses it.
    const [last] = left;
    if (left.length === 1 && last && !last.filterFn) return last;
    return Object.freeze({ ...filter, [and ? 'and' : 'or']: left });
  }
  if (not) {
    const inside = simplified(not);
    if (typeof inside === 'boolean') return !inside;
    return inside === not ? filter : Object.freeze({ ...filter, not: inside });
  }
  if (!Array.isArray(value) || value.length > 0) return filter;
  const operator = operatorOf(filter);
  return operator === 'in' || operator === 'nin' ? operator === 'nin' : filter;
}

/**
 * Simplifies the members of an `and` or, with `deciding: true`, of an `or`. One member that is always `deciding` decides the whole; a
 * member that is always the opposite is left out.
 */
function joined(
  filters: readonly Filter[],
  deciding: boolean,
): { readonly left: readonly Filter[]; readonly decided: boolean } {
  const parts = filters.map(simplified);
  const left = parts.filter((each): each is Filter => typeof each !== 'boolean');
  const isSame = left.length === filters.length && left.every((each, at) => each === filters[at]);
  return { left: isSame ? filters : Object.freeze(left), decided: parts.includes(deciding) };
}
