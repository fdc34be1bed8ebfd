import { describe, expect, test } from 'vitest';
import { explore } from './explore.js';
import { MISTAKES } from './mistakes.js';
import { SCOPES, SCOPES_OF_MISTAKES, type Scope } from './scopes.js';

/** `npm run test:outbox-model` explores every scope completely, and the shortest history of each mistake. */
const MOST = 400;
/** The number of worlds in which each mistake is found. */
const ENOUGH = 12_000;

describe('the model of the outbox', () => {
  test.each(Object.entries<Scope>(SCOPES))('breaks no law (the beginning of the scope %s)', (_, scope) => {
    for (const shortest of [false, true]) {
      const { law, history } = explore(scope, {}, { most: MOST, shortest });
      expect({ law, history }).toEqual({ law: undefined, history: undefined });
    }
  });

  test('breaks no law in small scopes, explored completely', () => {
    for (const creates of [[], ['P']] as const) {
      const scope: Scope = { creates, erases: true, left: { saves: 1, kills: 1, losses: 0, reopens: 1 } };
      const { law, finals } = explore(scope);
      expect([law, finals > 10]).toEqual([undefined, true]);
    }
  });

  test.each(SCOPES_OF_MISTAKES)('catches the mistake %s', (names, scope) => {
    const on = Object.fromEntries(names.map((name) => [name, true]));
    const { law = explore(scope, on, { most: ENOUGH, shortest: true }).law } = explore(scope, on, { most: ENOUGH });
    expect(law).toEqual(expect.any(String));
  });

  test('has a scope for each mistake', () => {
    const named = new Set(SCOPES_OF_MISTAKES.flatMap(([names]) => names));
    expect(Object.keys(MISTAKES).filter((name) => !named.has(name as keyof typeof MISTAKES))).toEqual([]);
  });
});
