import { describe, expect, test } from 'vitest';
import { assertRejects, assertSame, assertThat } from '../../src/testing/refusal.js';

describe('assertSame', () => {
  test('accepts values with the same content', () => {
    expect(() => assertSame({ at: new Date(0), list: [1] }, { list: [1], at: new Date(0) }, 'the row')).not.toThrow();
  });

  test.each([
    [undefined, null, 'the value: expected null, got undefined.'],
    [7n, 7, 'the value: expected 7, got 7.'],
    [['a'], [], 'the value: expected [], got ["a"].'],
  ])('throws for %s and %s', (actual, expected, message) => {
    expect(() => assertSame(actual, expected, 'the value')).toThrow(message);
  });
});

describe('assertThat', () => {
  test('throws with the text of the condition that is false', () => {
    expect(() => assertThat(false, 'the list has rows')).toThrow('the list has rows.');
    expect(() => assertThat(true, 'the list has rows')).not.toThrow();
  });
});

describe('assertRejects', () => {
  test.each([
    [() => Promise.resolve(7), undefined, 'the call: expected a DataError, but it resolved with 7.'],
    [() => Promise.reject(new Error('x')), undefined, 'the call: expected a DataError, but it rejected with Error: x.'],
    [
      () => Promise.reject(undefined),
      'abort',
      "the call: expected a DataError with the code 'abort', but it rejected with nothing.",
    ],
  ])('%#', async (run, code, message) => {
    await expect(assertRejects(run(), 'the call', code)).rejects.toThrow(message);
  });
});
