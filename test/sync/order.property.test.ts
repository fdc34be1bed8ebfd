import fc from 'fast-check';
import { DataProxy, HttpError, Model, type Operation, ResultSet, reference, Store, sync } from 'repose';
import { expect, test } from 'vitest';

/** A server that refuses names that start with `bad`, answers after given delays, and knows its rows. */
class Backend extends DataProxy {
  readonly rows: Map<number, Readonly<Record<string, unknown>>> = new Map();
  readonly log: { readonly key: string; readonly sent: Readonly<Record<string, unknown>> }[] = [];
  delays: number[] = [];
  flying = 0;
  most = 0;

  override async create(operation: Operation): Promise<ResultSet> {
    const [record] = operation.records as unknown as [Node];
    const sent = record.toJSON() as Record<string, unknown>;
    this.flying += 1;
    this.most = Math.max(this.most, this.flying);
    this.log.push({ key: record.$.key, sent });
    for (let i = this.delays.shift() ?? 0; i > 0; i -= 1) await Promise.resolve();
    this.flying -= 1;
    if (String(sent['name']).startsWith('bad')) {
      const raw = new Response(null, { status: 422 });
      throw new HttpError('http', {}, { response: { status: 422, raw } as never });
    }
    const id = 1000 + this.rows.size;
    this.rows.set(id, sent);
    return new ResultSet({ rows: [{ id }] });
  }
  override read = (): Promise<ResultSet> => Promise.resolve(new ResultSet());
  override update = this.read;
  override erase = this.read;
}

class Node extends Model.define({
  name: 'node',
  fields: { id: 'int', name: 'string', parentId: reference('int'), otherId: reference('int') },
}) {
  static override references(): { parentId: typeof Node; otherId: typeof Node } {
    return { parentId: Node, otherId: Node };
  }
}

const graphs = fc.record({
  nodes: fc.array(
    fc.record({
      bad: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      parent: fc.nat(15),
      other: fc.nat(40),
      store: fc.nat(1),
    }),
    { maxLength: 14 },
  ),
  delays: fc.array(fc.nat(12), { maxLength: 14 }),
  concurrency: fc.integer({ min: 1, max: 7 }),
});

test('any graph of references: parents are sent first, no temporary id is sent, no record is sent twice or held back without a reason', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, async ({ nodes, delays, concurrency }) => {
      const proxy = new Backend();
      proxy.delays = [...delays];
      const stores = [new Store({ model: Node, proxy }), new Store({ model: Node, proxy })] as const;
      const records = nodes.map(
        ({ bad, store }, i) => stores[store === 0 ? 0 : 1].add({ name: bad ? `bad${i}` : `n${i}` })[0] as Node,
      );
      const edges = nodes.map(({ parent, other }, i) => {
        const [a, b] = [records[parent], records[other]];
        if (a) (records[i] as Node).parentId = a.id;
        if (b) (records[i] as Node).otherId = b.id;
        return [a, b].filter((each) => each !== undefined);
      });
      const batch = await sync(stores, { concurrency });

      const errorOf = new Map(batch.outcomes.map(({ record, error }) => [record, error]));
      expect(errorOf.size).toBe(records.length);
      expect(proxy.most).toBeLessThanOrEqual(concurrency);
      const keys = proxy.log.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      for (const { sent } of proxy.log)
        for (const name of ['parentId', 'otherId'])
          expect(sent[name] === undefined || Number(sent[name]) >= 1000).toBe(true);

      // Computed independently: a record can be sent if it is not bad and all its parents can be sent.
      const able = new Set<Node>();
      let size: number;
      do {
        size = able.size;
        for (const [i, record] of records.entries())
          if (!nodes[i]?.bad && edges[i]?.every((each) => able.has(each))) able.add(record);
      } while (able.size > size);
      for (const [i, record] of records.entries()) {
        expect(record.phantom).toBe(!able.has(record));
        const error = errorOf.get(record);
        if (able.has(record)) expect(error).toBeUndefined();
        else if (nodes[i]?.bad && edges[i]?.every((each) => able.has(each))) expect(error?.code).toBe('http');
        else expect(error?.code).toBe('dependency');
        const [parent] = edges[i] ?? [];
        if (able.has(record) && records[nodes[i]?.parent ?? -1]) expect(record.parentId).toBe(parent?.id);
      }
    }),
    { numRuns: 300 },
  );
});
