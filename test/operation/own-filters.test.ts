import { expect, test } from 'vitest';
import { toFilters } from '../../src/operation/query-parts.js';

test('filters that are frozen without their values get values of their own', () => {
  const names = ['Ada'];
  const given = Object.freeze([Object.freeze({ property: 'name', operator: 'in', value: names } as const)]);
  const [filter] = toFilters(given);
  expect(Object.isFrozen(names)).toBe(false);
  names.push('Bob');
  expect(filter?.value).toEqual(['Ada']);
  expect(toFilters(toFilters(given))).toEqual(toFilters(given));
});
