import fc from 'fast-check';
import { classic, type FilterConfig, Model, Store } from 'repose';
import { defineDialect } from 'repose/extend';
import { restServer } from 'repose/testing';
import { expect, test } from 'vitest';
import { shown } from './support.js';

class Person extends Model.define({
  fields: { id: 'int', age: { type: 'int', allowNull: true }, team: { type: 'string', allowNull: true } },
}) {}
type Filter = FilterConfig<Person>;

const teams = fc.constantFrom('A', 'B', null);
const rows = fc.uniqueArray(
  fc.record({ id: fc.integer({ min: 1, max: 9 }), age: fc.integer({ min: 0, max: 4 }), team: teams }),
  {
    selector: ({ id }) => id,
    maxLength: 9,
  },
);
const conditions: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    property: fc.constant('age'),
    operator: fc.constantFrom('eq', 'ne', 'ge'),
    value: fc.integer({ min: 0, max: 4 }),
  }),
  fc.record({
    property: fc.constant('team'),
    operator: fc.constantFrom('in', 'nin', 'notin'),
    value: fc.array(teams, { maxLength: 2 }),
  }),
  fc.record({ property: fc.constant('age'), operator: fc.constantFrom('in', 'nin'), value: fc.constant([]) }),
  fc.record({
    property: fc.constant('team'),
    operator: fc.constant('in'),
    value: fc.array(teams, { maxLength: 1 }),
    disableOnEmpty: fc.boolean(),
  }),
  fc.record({ property: fc.constant('age'), value: fc.constant(1), disabled: fc.boolean() }),
) as fc.Arbitrary<Filter>;
const { tree } = fc.letrec<{ tree: Filter; list: Filter[] }>((tie) => ({
  list: fc.array(tie('tree'), { maxLength: 3 }),
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    conditions,
    tie('list').map((and): Filter => ({ and })),
    tie('list').map((or): Filter => ({ or })),
    tie('tree').map((not): Filter => ({ not })),
  ),
}));

test('a server gives the records that the store shows, for trees with empty lists, and never gets an empty list', async () => {
  const trees = defineDialect({
    ...classic,
    name: 'trees',
    capabilities: { ...classic.capabilities, trees: ['and', 'or', 'not'] },
  });
  await fc.assert(
    fc.asyncProperty(rows, fc.array(tree, { maxLength: 3 }), async (data, filters) => {
      const server = restServer({ collections: { '/people': data } });
      const { fetch, baseUrl } = server;
      const proxy = {
        type: 'rest' as const,
        url: '/people',
        fetch,
        baseUrl,
        dialect: trees,
        reader: { rootProperty: 'data' },
      };
      const local = shown(new Store({ model: Person, data, filters }));
      const remote = new Store({ model: Person, proxy, remoteFilter: true, pageSize: 0, filters });
      await remote.load();
      expect(shown(remote)).toEqual(local);
      expect(remote.total).toBe(local.length);
      for (const { url } of server.requests) expect(decodeURIComponent(url)).not.toContain('"value":[]');
    }),
    { numRuns: 300 },
  );
});
