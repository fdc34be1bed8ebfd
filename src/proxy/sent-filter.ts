import type { Filter } from '../operation/query.js';

/** The members of a filter that a server gets, in this order; those without a value are left out of the JSON (H8). */
export function toSentFilter({ property, operator, value, and, or, not }: Filter): object {
  const conditions = { and: and?.map(toSentFilter), or: or?.map(toSentFilter), not: not && toSentFilter(not) };
  return { property, operator, value, ...conditions };
}
