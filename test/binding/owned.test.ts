import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ABANDONED_AFTER, Owned } from '../../src/binding/owned.js';

let made: { ended: boolean }[] = [];
const owned = () =>
  new Owned(
    () => {
      const each = { ended: false };
      made.push(each);
      return each;
    },
    (each) => {
      each.ended = true;
    },
  );

beforeEach(() => {
  made = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('an object is made when it is needed, and kept while somebody holds it', async () => {
  const owner = owned();
  expect(made).toEqual([]);
  const [first, second] = [owner.hold(), owner.hold()];
  expect(owner.get()).toBe(owner.get());
  first();
  first();
  await undefined;
  vi.advanceTimersByTime(2 * ABANDONED_AFTER);
  expect(made).toEqual([{ ended: false }]);
  second();
  await undefined;
  expect(made).toEqual([{ ended: true }]);
});

test('an object that is let go and held again in the same tick stays', async () => {
  const owner = owned();
  owner.get();
  owner.hold()();
  const release = owner.hold();
  await undefined;
  expect(made).toEqual([{ ended: false }]);
  release();
  await undefined;
  expect(made).toEqual([{ ended: true }]);
});

test('an object that is read once more in the tick in which it was let go is ended', async () => {
  const owner = owned();
  const release = owner.hold();
  owner.get();
  release();
  owner.get();
  await undefined;
  expect(made).toEqual([{ ended: true }]);
});

test('an object that nobody ever holds is ended after a while, and made again when it is needed', () => {
  const owner = owned();
  owner.get();
  vi.advanceTimersByTime(ABANDONED_AFTER - 1);
  expect(made).toEqual([{ ended: false }]);
  vi.advanceTimersByTime(1);
  expect(made).toEqual([{ ended: true }]);
  owner.get();
  expect(made).toEqual([{ ended: true }, { ended: false }]);
});

test('an object of somebody else is never ended', async () => {
  const shared = { ended: false };
  const owner = new Owned(() => shared);
  owner.get();
  owner.hold()();
  await undefined;
  vi.advanceTimersByTime(ABANDONED_AFTER);
  expect(owner.get()).toBe(shared);
});
