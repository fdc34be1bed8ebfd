import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callSafely, EventEmitter } from '../../src/util/event-emitter.js';

interface Events {
  a: number;
  b: string;
}

let uncaught: unknown[];
let before: NodeJS.UncaughtExceptionListener[];
beforeEach(() => {
  uncaught = [];
  before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => uncaught.push(error));
});
afterEach(() => {
  process.removeAllListeners('uncaughtException');
  for (const listener of before) process.on('uncaughtException', listener);
});
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('EventEmitter.on', () => {
  test('adds a listener that is called for its event, in order, until it is removed', () => {
    const events = new EventEmitter<Events>();
    const log: string[] = [];
    const stop = events.on('a', (n) => log.push(`first ${n}`));
    events.on('a', (n) => log.push(`second ${n}`));
    events.on('b', (text) => log.push(text));
    events.emit('a', 1);
    stop();
    stop();
    events.emit('a', 2);
    expect(log).toEqual(['first 1', 'second 1', 'second 2']);
  });

  test('adds the same function twice if it is given twice', () => {
    const events = new EventEmitter<Events>();
    let calls = 0;
    const listener = () => (calls += 1);
    events.on('a', listener);
    const stop = events.on('a', listener);
    events.emit('a', 1);
    stop();
    events.emit('a', 1);
    expect(calls).toBe(3);
  });
});

describe('EventEmitter.has', () => {
  test('returns whether an event has listeners', () => {
    const events = new EventEmitter<Events>();
    expect(events.has('a')).toBe(false);
    const stop = events.on('a', () => undefined);
    expect([events.has('a'), events.has('b')]).toEqual([true, false]);
    stop();
    expect(events.has('a')).toBe(false);
  });
});

describe('EventEmitter.emit', () => {
  test('does not call a listener that is added during the event', () => {
    const events = new EventEmitter<Events>();
    const log: string[] = [];
    events.on('a', () => events.on('a', () => log.push('added')));
    events.emit('a', 1);
    expect(log).toEqual([]);
  });

  test('calls the other listeners if one throws; the error is reported as uncaught', async () => {
    const events = new EventEmitter<Events>();
    const log: string[] = [];
    events.on('a', () => {
      throw new Error('mine');
    });
    events.on('a', () => log.push('heard'));
    events.emit('a', 1);
    expect([log, uncaught]).toEqual([['heard'], []]);
    await turn();
    expect(uncaught).toEqual([new Error('mine')]);
  });
});

describe('callSafely', () => {
  test('passes its arguments to the function', async () => {
    const seen: unknown[] = [];
    callSafely((...args: number[]) => seen.push(...args), 1, 2);
    await turn();
    expect([seen, uncaught]).toEqual([[1, 2], []]);
  });
});
