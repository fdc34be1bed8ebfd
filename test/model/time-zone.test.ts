import { copyOf, dateFormat, embed, Model, ReadError, Store } from 'repose';
import { diagnostics } from 'repose/diagnostics';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const local = ['2026-03-10T10:00:00', '2026-03-10 10:00', '2026-03-10T10:00:00.123', '2026-03-10T10:00:00,5'];
const certain = [
  '2026-03-10T10:00:00Z',
  '2026-03-10T10:00:00+01:00',
  '2026-03-10 10:00-0500',
  '2026-03-10',
  1_773_136_800_000,
];

/** A model of visits, with the warnings of its loads. */
function visits(at: object = {}, strict = false) {
  const warnings: string[] = [];
  class Visit extends Model.define({
    name: 'visit',
    fields: { id: 'int', at: { type: 'date', ...at }, end: { type: 'date', allowNull: true } },
    proxy: server.proxy('/visits', {
      reader: { strict },
      use: [diagnostics({ warn: (text) => warnings.push(text) })],
    }),
  }) {}
  return { Visit, warnings };
}

describe('a date-time without a zone', () => {
  test.each(local)('%j is refused by a strict reader, in records, lists and given rows', async (at) => {
    const { Visit } = visits({}, true);
    server.always(() => ({ json: { id: 1, at } }));
    await expect(Visit.load(1)).rejects.toThrow('row 0, at must name its time zone');
    server.always(() => ({
      json: [
        { id: 1, at: null, end: at },
        { id: 2, at: certain[0] },
      ].reverse(),
    }));
    await expect(new Store({ model: Visit, pageSize: 0 }).load()).rejects.toBeInstanceOf(ReadError);
    expect(() => new Store({ model: Visit }).setRecords([{ id: 1, at } as never])).toThrow(ReadError);
  });

  test.each(certain)('%j says what it is', async (at) => {
    const { Visit, warnings } = visits({}, true);
    server.always(() => ({ json: { id: 1, at } }));
    await Visit.load(1);
    expect(warnings).toEqual([]);
  });

  test('is told once by diagnostics(), of a record or a list', async () => {
    const { Visit, warnings } = visits();
    server.always(() => ({ json: { id: 1, at: local[0] } }));
    const visit = await Visit.load(1);
    expect(visit.at).toEqual(new Date(2026, 2, 10, 10));
    server.always(() => ({ json: [{ id: 1, at: certain[0], end: local[0] }] }));
    await new Store({ model: Visit, pageSize: 0 }).load();
    expect(warnings).toEqual([expect.stringContaining("the date-time in 'at' names no zone")]);
    expect(warnings[0]).toContain(String.raw`dateFormat('Y-m-d\\TH:i:s')`);
  });

  test.each([
    ['2026-03-10T10:00:00', '2026-03-10T11:00:00'],
    ['2026-03-10 10:00', '2026-03-10 11:00'],
    ['2026-03-10T10:00:00.5', '2026-03-10T11:00:00.500'],
    ['2026-03-10T10:00:00Z', '2026-03-10T11:00:00.000Z'],
  ])('%j that was edited goes back in the form in which it came', async (at, later) => {
    const { Visit } = visits();
    server.always(() => ({ json: { id: 1, at } }));
    const visit = await Visit.load(1);
    visit.at = new Date(Number(visit.at) + 3_600_000);
    await visit.save();
    expect(server.requests.at(-1)?.body).toMatchObject({ at: later });
  });

  test.each([
    ['2026-03-10T10:00:00', '2026-03-10T10:00:00'],
    ['2026-03-10 10:00', '2026-03-10 10:00'],
    ['2026-03-10T10:00:00.5', '2026-03-10T10:00:00.500'],
    ['2026-03-10T10:00:00+01:00', '2026-03-10T09:00:00.000Z'],
  ])('%j goes into a copy in the form in which it came, also inside embedded records', async (at, copied) => {
    const { Visit } = visits();
    class Tour extends Model.define({
      name: 'tour',
      fields: { id: 'int', at: 'date', stops: embed([Visit]) },
      proxy: server.proxy('/tours'),
    }) {}
    const tour = Tour.fromRow({ id: 1, at, stops: [{ id: 2, at, end: null }] });
    server.reply({ status: 201, json: { id: 3 } });
    await copyOf(tour).save();
    expect(server.last.body).toEqual({ at: copied, stops: [{ at: copied, end: null }] });
  });

  test('that was edited goes into a copy without a zone too', async () => {
    const { Visit } = visits();
    const visit = Visit.fromRow({ id: 1, at: '2026-03-10T10:00:00', end: null });
    visit.at = new Date(Number(visit.at) + 3_600_000);
    server.reply({ status: 201, json: { id: 3 } });
    await copyOf(visit).save();
    expect(server.last.body).toEqual({ at: '2026-03-10T11:00:00', end: null });
  });

  test('is what `format` or `convert` says', async () => {
    const format = dateFormat(String.raw`Y-m-d\TH:i:s`);
    const convert = (raw: unknown) => new Date(`${raw}+01:00`);
    server.always(() => ({ json: { id: 1, at: local[0] } }));
    for (const [at, hour] of [
      [{ format }, 10],
      [{ convert }, 9],
    ] as const) {
      const { Visit, warnings } = visits(at, true);
      const visit = await Visit.load(1);
      expect((visit.at as Date).getUTCHours()).toBe(hour);
      expect(warnings).toEqual([]);
    }
  });
});
