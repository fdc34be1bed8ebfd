import { expect, test } from 'vitest';
import { ValueSource } from '../../src/util/value-source.js';

test('a source whose value cannot be read is not watched after a failed subscription', () => {
  const watched: boolean[] = [];
  let isBroken = true;
  const source = new ValueSource(
    () => {
      if (isBroken) throw new Error('broken');
      return 1;
    },
    (isWatched) => watched.push(isWatched),
  );
  expect(() => source.subscribe(() => undefined)).toThrow('broken');
  expect(watched).toEqual([true, false]);
  isBroken = false;
  source.subscribe(() => undefined)();
  expect(watched).toEqual([true, false, true, false]);
});
