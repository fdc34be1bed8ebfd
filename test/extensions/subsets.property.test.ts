import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Play, type Step } from './subset-script.js';
import { FAULTS, type FaultKey, NAMES, type Name, RATE, World } from './subset-world.js';

const at = fc.nat(5);
const passing = fc.constantFrom<FaultKey>('drop', 'lose', 'busy', 'limited', 'unauthorized');
const faults = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly FaultKey[]>([]) },
  { weight: 5, arbitrary: fc.array(passing, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constant<readonly FaultKey[]>(['conflict']) },
);
const way = fc.constantFrom('keepMine', 'merge', 'takeTheirs', 'later' as const);
const writing = (action: 'update' | 'erase') =>
  fc.record({ do: fc.constant(action), at, faults, changed: fc.boolean(), way });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), faults }) },
  { weight: 5, arbitrary: writing('update') },
  { weight: 2, arbitrary: writing('erase') },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const), at, faults }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('list' as const), faults }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('twice' as const), at, faults }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sync' as const), faults }) },
  { weight: 1, arbitrary: fc.constant({ do: 'mend' as const }) },
);
const script = fc.array(step, { minLength: 1, maxLength: 8 });
/** A subset of the extensions, in two orders. */
const orders = fc
  .subarray([...NAMES])
  .chain((names) => fc.tuple(...[0, 1].map(() => fc.shuffledSubarray(names, { minLength: names.length }))));

async function play(order: readonly Name[], steps: readonly Step[]): Promise<Play> {
  const played = new Play(await World.begin(order));
  await played.run(steps);
  await played.end();
  return played;
}

describe('any extensions in any order', () => {
  test('do what the guides promise, whatever their order', async () => {
    await fc.assert(
      fc.asyncProperty(orders, script, async ([one, other], steps) => {
        const [first, second] = [await play(one as Name[], steps), await play(other as Name[], steps)];
        expect(second.world.trace()).toEqual(first.world.trace());
        expect(second.outcomes).toEqual(first.outcomes);
        expect(second.world.events).toEqual(first.world.events);
        const { world } = first;
        expect(world.unkept).toEqual([]);
        // Every attempt is reported once.
        const reported = world.events.map(({ method, status, error }) => `${method} ${status ?? error}`);
        const sent = world.requests.map(({ method, status }) => `${method} ${status ?? 'network'}`);
        expect(reported.sort()).toEqual(world.has('telemetry') ? sent.sort() : []);
        const refused = world.requests.filter(({ status }) => status === FAULTS.unauthorized.status).length;
        expect(world.renewals > 0).toBe(world.has('auth') && refused > 0);
        if (world.has('rateLimit'))
          for (const [n, time] of world.times.entries())
            if (n >= RATE) expect(time - (world.times[n - RATE] as number)).toBeGreaterThanOrEqual(1000);
        // Every create has a key if `idempotency()` is in use.
        for (const { method, headers } of world.trace())
          expect('idempotency-key' in headers).toBe(method === 'POST' && world.has('idempotency'));
      }),
      { numRuns: 150 },
    );
  });

  test('change nothing else in requests and results', async () => {
    const quiet = script.map((steps) => steps.map((each) => ({ ...each, faults: [], changed: false })));
    await fc.assert(
      fc.asyncProperty(orders, quiet, async ([order], steps) => {
        const [bare, extended] = [await play([], steps), await play(order as Name[], steps)];
        expect(extended.outcomes).toEqual(bare.outcomes);
        // A conditional request has another `Cache-Control`: see not-modified.ts.
        const added = ['idempotency-key', 'if-match', 'if-none-match', 'cache-control'];
        const requestsOf = ({ world }: Play) =>
          world.trace().map(({ method, url, body, headers }) => {
            const others = Object.entries(headers).filter(([name]) => !added.includes(name));
            return { method, url, body, headers: Object.fromEntries(others) };
          });
        expect(requestsOf(extended)).toEqual(requestsOf(bare));
      }),
      { numRuns: 60 },
    );
  });
});
