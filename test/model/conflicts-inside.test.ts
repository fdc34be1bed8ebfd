import { type ConflictError, conflicts, embed, etags, Model, plain } from 'repose';
import { restServer } from 'repose/testing';
import { expect, test } from 'vitest';

class Tag extends Model.define({ name: 'tag', fields: { id: 'int', text: 'string', color: 'string' } }) {}
class Geo extends Model.define({
  name: 'geo',
  fields: {
    ...{ lat: 'string', lon: 'string', note: 'json', tags: embed([Tag]) },
    extra: { type: 'json', mapping: 'more.extra' },
    source: { type: 'string', mapping: 'more.source' },
  },
}) {}
class Address extends Model.define({
  name: 'address',
  fields: { city: 'string', zip: 'string', geo: embed(Geo), phone: { type: 'string', mapping: 'contact.phone' } },
}) {}
class Line extends Model.define({ name: 'line', fields: { id: 'int', qty: 'int', to: embed(Address) } }) {}

const TAGS = [
  { id: 1, text: 't1', color: 'c1' },
  { id: 2, text: 't2', color: 'c2' },
];
const ADDRESS = {
  ...{ city: 'c0', zip: 'z0', contact: { phone: 'p0', fax: 'f0' } },
  geo: { lat: 'l0', lon: 'o0', note: { a: 1, b: 1 }, tags: TAGS, more: { extra: { a: 1, b: 1 }, source: 's0' } },
};
const ROW = { id: 7, address: ADDRESS, lines: [{ id: 1, qty: 1, to: ADDRESS }] };

/** Two people edit the same embedded records; the other one saves first. Resolves with the error of the second save. */
async function inConflict(mine: (order: Order) => void, theirs: (row: typeof ROW) => void) {
  const server = restServer({ etags: 'required', collections: { '/orders': [ROW] } });
  class Order extends Model.define({
    name: 'order',
    fields: { id: 'int', address: embed(Address), lines: embed([Line]) },
    proxy: { type: 'rest', url: '/orders', baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain() },
  }) {}
  const order = await Order.with({ proxy: { use: [etags(), conflicts()] } }).load(7);
  mine(order as never);
  const row = structuredClone(ROW);
  theirs(row);
  server.setRows('/orders', [row]);
  const error = (await order.save().catch((reason: unknown) => reason)) as ConflictError;
  expect(error.code).toBe('conflict');
  return { error, saved: () => server.rows('/orders')[0] as unknown as typeof ROW };
}
interface Order {
  address: InstanceType<typeof Address>;
  lines: readonly InstanceType<typeof Line>[];
}

const PLACES: [string, (order: Order) => Order['address'], (row: typeof ROW) => typeof ADDRESS][] = [
  ['an embedded record', (order) => order.address, (row) => row.address],
  ['a line', (order) => order.lines[0]!.to!, (row) => row.lines[0]!.to],
];

test.each(PLACES.flatMap((place) => [['keepMine', ...place] as const, ['merge', ...place] as const]))(
  '%s() keeps what others have written inside %s, at every depth',
  async (way, _, mine, theirs) => {
    const { error, saved } = await inConflict(
      (order) => {
        mine(order).geo!.lat = 'mine';
        mine(order).phone = 'mine';
      },
      (row) => {
        Object.assign(theirs(row), { zip: 'theirs', contact: { phone: 'p0', fax: 'theirs' } });
        theirs(row).geo.lon = 'theirs';
      },
    );
    await error[way]();
    expect(theirs(saved())).toEqual({
      ...{ city: 'c0', zip: 'theirs', contact: { phone: 'mine', fax: 'theirs' } },
      geo: { ...ADDRESS.geo, lat: 'mine', lon: 'theirs' },
    });
  },
);

test('merge() asks about a list of which both have changed one field of one line', async () => {
  const { error, saved } = await inConflict(
    ({ lines }) => void (lines[0]!.qty = 2),
    ({ lines }) => void (lines[0]!.qty = 3),
  );
  await expect(error.merge()).rejects.toMatchObject({ fields: [{ field: 'lines' }] });
  await error.merge(({ mine }) => mine);
  expect(saved().lines.map(({ qty }) => qty)).toEqual([2]);
});

test('keepMine() replaces a `json` value inside an embedded record as a whole, wherever its member stands', async () => {
  const { error, saved } = await inConflict(
    ({ address }) => {
      address.geo!.set('note', { a: 2, b: 1 });
      address.geo!.set('extra', { a: 2, b: 1 });
    },
    ({ address: { geo } }) => {
      geo.note = { a: 1, b: 2 };
      geo.more = { extra: { a: 1, b: 2 }, source: 'theirs' };
    },
  );
  await error.keepMine();
  const { note, more } = saved().address.geo;
  expect([note, more]).toEqual([
    { a: 2, b: 1 },
    { extra: { a: 2, b: 1 }, source: 'theirs' },
  ]);
});

test('keepMine() merges a list inside an embedded record by its lines', async () => {
  const { error, saved } = await inConflict(
    ({ address }) => void (address.geo!.tags![0]!.text = 'mine'),
    ({ address: { geo } }) => {
      geo.tags = [
        { id: 3, text: 'theirs', color: 'c3' },
        { ...TAGS[1]!, text: 'theirs' },
        { ...TAGS[0]!, color: 'theirs' },
      ];
    },
  );
  await error.keepMine();
  const tags = saved().address.geo.tags.toSorted((a, b) => a.id - b.id);
  expect(tags).toEqual([
    { id: 1, text: 'mine', color: 'theirs' },
    { id: 2, text: 'theirs', color: 'c2' },
    { id: 3, text: 'theirs', color: 'c3' },
  ]);
});
