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

test('filters that are frozen with values which can change get values of their own', () => {
  const day = new Date('2026-01-01');
  const at = { x: 1 };
  const given = Object.freeze([
    Object.freeze({ property: 'day', operator: 'in', value: Object.freeze([day]) } as const),
    Object.freeze({ property: 'place', value: Object.freeze({ at }) }),
  ]);
  const [days, place] = toFilters(given);
  day.setUTCFullYear(1999);
  at.x = 2;
  expect(days?.value).toEqual([new Date('2026-01-01')]);
  expect(place?.value).toEqual({ at: { x: 1 } });
});
