// A set-up of vitest for test files that share a process. A file fails if it leaves globals, timers, environment variables, or listeners
// changed.
import { afterAll, expect, vi } from 'vitest';

const before = shared();

// Vitest runs this hook last, because it was registered first.
afterAll(() => {
  const after = shared();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => !Object.is(before.get(key), after.get(key)),
  );
  expect(changed, 'This file leaves these changed for the next files; restore them after each test.').toEqual([]);
});

/** Values that a test can change for other files, by their names. */
function shared(): Map<string, unknown> {
  const found = new Map<string, unknown>([['fake timers', vi.isFakeTimers()]]);
  const note = (owner: string, object: object) => {
    for (const key of Reflect.ownKeys(object)) {
      const name = String(key);
      // Packages keep notes under such names when they are first loaded. Reading `localStorage` prints a warning.
      if (object === globalThis && /^[$_]|^Symbol\(|^(local|session)Storage$/.test(name)) continue;
      const { get } = Object.getOwnPropertyDescriptor(object, key) ?? {};
      // Some globals are made when they are first read; members of a prototype have no value without an object.
      found.set(`${owner}.${name}`, get && object !== globalThis ? get : Reflect.get(object, key));
    }
  };
  note('globalThis', globalThis);
  note('console', console);
  note('process.env', process.env);
  for (const type of [Object, Array, Map, Set, String, Number, Date, Promise, Headers, Request, Response, URL]) {
    note(type.name, type);
    note(`${type.name}.prototype`, type.prototype);
  }
  for (const event of ['uncaughtException', 'unhandledRejection', 'warning', 'exit'])
    process.listeners(event as 'exit').forEach((listener, place) => {
      found.set(`process.on('${event}') ${place + 1}`, listener);
    });
  return found;
}
