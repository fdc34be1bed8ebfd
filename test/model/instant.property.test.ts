import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeOfInstant } from '../../src/model/instant.js';

test('an instant is read as Date.parse reads it', () => {
  const instant = fc.integer({ min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') });
  fc.assert(
    fc.property(instant, fc.boolean(), (time, precise) => {
      const iso = new Date(time).toISOString();
      const text = precise ? iso : iso.replace(/\.\d+/, '');
      const late = /^.{8}31|^.{5}02-29/.test(text);
      expect(timeOfInstant(text)).toBe(late ? Number.NaN : Date.parse(text));
    }),
    { numRuns: 1000 },
  );
});

test('any other text is left to Date.parse', () => {
  const wrong = [
    '',
    '2024-05-06',
    '2024-05-06T07:08:09',
    '2024-05-06T07:08:09+02:00',
    '2024-05-06 07:08:09Z',
    '2024-13-06T07:08:09Z',
    '2024-00-06T07:08:09Z',
    '2024-02-30T07:08:09Z',
    '2024-05-00T07:08:09Z',
    '2024-05-06T24:08:09Z',
    '2024-05-06T07:60:09Z',
    '2024-05-06T07:08:60Z',
    '2024-05-06T07:08:09,123Z',
    '2024/05-06T07:08:09Z',
    'x024-05-06T07:08:09Z',
    '2024-05-06T07:08:09.1 3Z',
  ];
  expect(wrong.map(timeOfInstant)).toEqual(wrong.map(() => Number.NaN));
});

test('a text that differs from an instant in one character is read as Date.parse reads it, or not at all', () => {
  const base = '2024-05-06T07:08:09.123Z';
  fc.assert(
    fc.property(fc.nat({ max: base.length - 1 }), fc.string({ minLength: 1, maxLength: 1 }), (at, char) => {
      const text = base.slice(0, at) + char + base.slice(at + 1);
      const time = timeOfInstant(text);
      if (!Number.isNaN(time)) expect(time).toBe(Date.parse(text));
    }),
    { numRuns: 500 },
  );
});
