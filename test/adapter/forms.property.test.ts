import fc from 'fast-check';
import { type ConflictError, conflicts, etags, plain } from 'repose';
import { dataProvider as reactAdmin } from 'repose/react-admin';
import { dataProvider, type ProviderError } from 'repose/refine';
import { restServer } from 'repose/testing';
import { expect, test } from 'vitest';
import { orders, setUp } from './support.js';

type Step =
  | { readonly type: 'theirs' | 'edit'; readonly field: 'title' | 'total'; readonly value: 1 | 2 | 3 }
  | { readonly type: 'list' | 'open' | 'save' | 'stay' | 'merge' | 'bulk' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constantFrom('theirs', 'edit'),
    field: fc.constantFrom('title', 'total'),
    value: fc.constantFrom(1, 2, 3),
  }),
  fc.record({ type: fc.constantFrom('list', 'open', 'save', 'stay', 'merge', 'bulk') }),
);
const wanted = (field: 'title' | 'total', value: number) => (field === 'total' ? value : `title ${value}`);

/** A form that shows the row with which it was opened, however often others read it. */
async function play(steps: readonly Step[], library: 'refine' | 'react-admin', versions: boolean): Promise<void> {
  const server = restServer({ collections: { '/orders': { rows: orders.slice(0, 3) } } });
  class Order extends setUp().Order.with({
    proxy: {
      ...{ baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain() },
      use: versions ? [etags(), conflicts()] : [],
    },
  }) {}
  const refine = dataProvider({ orders: Order });
  const admin = reactAdmin({ orders: Order });
  const row = () => ({ ...server.rows('/orders')[0] });
  const open = async () =>
    ({
      ...(
        await (library === 'refine' ? refine.getOne({ resource: 'orders', id: 1 }) : admin.getOne('orders', { id: 1 }))
      ).data,
    }) as Record<string, unknown>;
  // The row that the library has read last: a value that is equal to it is no edit for a library that does not say what a form has shown.
  let read = row();
  let shown = await open();
  let form = { ...shown };
  const save = () =>
    library === 'refine'
      ? refine.update({ resource: 'orders', id: 1, variables: form })
      : admin.update('orders', { id: 1, data: form as never, previousData: shown as never });
  const reopen = async () => {
    read = row();
    shown = await open();
    form = { ...shown };
  };
  for (const each of steps) {
    const before = row();
    const edited = Object.keys(form).filter((name) => form[name] !== shown[name]);
    const check = () => {
      for (const name of ['title', 'total', 'open', 'internal'] as const)
        if (!edited.includes(name)) expect([name, row()[name]]).toEqual([name, before[name]]);
    };
    switch (each.type) {
      case 'theirs':
        server.setRows('/orders', [{ ...before, [each.field]: wanted(each.field, each.value) }, ...orders.slice(1, 3)]);
        break;
      case 'edit':
        form = { ...form, [each.field]: wanted(each.field, each.value) };
        break;
      case 'list':
        read = before;
        await (library === 'refine' ? refine.getList({ resource: 'orders' }) : admin.getList('orders', {}));
        break;
      case 'open':
        await reopen();
        break;
      case 'bulk':
        await refine.updateMany({ resource: 'orders', ids: [1], variables: { open: true } }).catch(() => undefined);
        break;
      default: {
        const error = await save().then(
          () => undefined,
          (each: ProviderError) => each.cause as ConflictError,
        );
        if (error) expect(error.code).toBe('conflict');
        if (error && each.type === 'merge') await error.merge().catch(() => undefined);
        check();
        for (const name of edited)
          if (!error && form[name] !== read[name as keyof typeof read])
            expect([name, row()[name]]).toEqual([name, form[name]]);
        // Refine has forms that stay open with their values.
        if (each.type === 'stay' && library === 'refine' && !error) shown = { ...form };
        else await reopen();
      }
    }
  }
}

test.each(['refine', 'react-admin'] as const)(
  'a save of a form of %s changes what was edited in it, and nothing else',
  async (library) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.boolean(), (steps, versions) =>
        play(steps, library, versions),
      ),
      { numRuns: Number(process.env['RUNS'] ?? 60) },
    );
  },
);
