import { systemClock } from 'repose/extend';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { assignOptions } from '../../src/util/options.js';

describe('assignOptions', () => {
  const defaults = { a: 1, b: 2, c: undefined as unknown };

  test("takes the given value, else the dialect's, else the default", () => {
    const target = {};
    assignOptions(target, { a: 10 }, { a: 20, b: 20 }, defaults);
    expect(target).toEqual({ a: 10, b: 20, c: undefined });
  });

  test('takes a given null, and replaces undefined by the default', () => {
    const target = {};
    assignOptions(target, { a: null, b: undefined }, {}, defaults);
    expect(target).toEqual({ a: null, b: 2, c: undefined });
  });

  test('ignores names without a default and inherited members', () => {
    const target = {};
    assignOptions(target, { save: 1, ...JSON.parse('{"__proto__":{"a":5}}') }, Object.create({ b: 5 }), defaults);
    expect(target).toEqual({ a: 1, b: 2, c: undefined });
  });
});

describe('systemClock', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('returns the time, and calls back unless it is cancelled', () => {
    vi.useFakeTimers({ now: 1000 });
    const log: string[] = [];
    systemClock.after(50, () => log.push('late'));
    const stop = systemClock.after(50, () => log.push('never'));
    stop();
    expect(systemClock.now()).toBe(1000);
    vi.advanceTimersByTime(49);
    expect(log).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(log).toEqual(['late']);
  });
});
