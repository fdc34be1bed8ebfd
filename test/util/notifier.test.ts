import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callSafely, type Listeners, Notifier } from '../../src/util/notifier.js';

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

describe('Notifier.on', () => {
  test('adds a listener that is called for its event, in order, until it is removed', () => {
    const events = new Notifier<Listeners<Events>>();
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
    const events = new Notifier<Listeners<Events>>();
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

describe('Notifier.has', () => {
  test('returns whether an event has listeners', () => {
    const events = new Notifier<Listeners<Events>>();
    expect(events.has('a')).toBe(false);
    const stop = events.on('a', () => undefined);
    expect([events.has('a'), events.has('b')]).toEqual([true, false]);
    stop();
    expect(events.has('a')).toBe(false);
  });
});

describe('Notifier.emit', () => {
  test('does not call a listener that is added during the event', () => {
    const events = new Notifier<Listeners<Events>>();
    const log: string[] = [];
    events.on('a', () => events.on('a', () => log.push('added')));
    events.emit('a', 1);
    expect(log).toEqual([]);
  });

  test('calls the other listeners if one throws; the error is reported as uncaught', async () => {
    const events = new Notifier<Listeners<Events>>();
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

interface Hooks {
  changed?(id: number): void;
  gone?(): void;
}

describe('observers of a notifier', () => {
  test('are told by each hook that they have, in the order in which they were attached, each once', () => {
    const notifier = new Notifier<Hooks>();
    const log: string[] = [];
    const both: Hooks = { changed: (id) => log.push(`first ${id}`), gone: () => log.push('gone') };
    notifier.attach(both);
    notifier.attach({ changed: (id) => log.push(`second ${id}`) });
    notifier.attach(both);
    notifier.tell('changed', 7);
    notifier.tell('gone');
    expect(log).toEqual(['first 7', 'second 7', 'gone']);
    expect([notifier.all.length, notifier.having('gone').length]).toEqual([2, 1]);
  });

  test('that are attached or detached during a call change nothing for this call', () => {
    const notifier = new Notifier<Hooks>();
    const log: string[] = [];
    notifier.attach({
      changed: () => {
        stop();
        notifier.attach({ changed: () => log.push('added') });
      },
    });
    const stop = notifier.attach({ changed: () => log.push('removed') });
    notifier.tell('changed', 1);
    expect(log.splice(0)).toEqual(['removed']);
    notifier.tell('changed', 2);
    expect(log).toEqual(['added']);
  });

  test('throw into the call that tells them', () => {
    const notifier = new Notifier<Hooks>();
    notifier.attach({
      gone: () => {
        throw new Error('refused');
      },
    });
    expect(() => notifier.tell('gone')).toThrow('refused');
  });

  test('make the notifier watched from the first one until the last has gone, or all were detached', () => {
    const log: boolean[] = [];
    const notifier = new Notifier<Hooks>((isWatched) => log.push(isWatched));
    const stops = [notifier.attach({}), notifier.on('gone', () => undefined)];
    for (const stop of [...stops, ...stops]) stop();
    expect(log.splice(0)).toEqual([true, false]);
    notifier.attach({});
    notifier.clear();
    notifier.clear();
    expect(log).toEqual([true, false]);
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
