import fc from 'fast-check';
import { classic, dateFormat, Model, Operation, plain, RestProxy, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { MODEL, type OperationRecord } from '../../src/operation/operation-record.js';

const model = (format: string, type: 'date' | 'dateonly' = 'date') =>
  class extends Model.define({
    name: 'event',
    fields: { id: 'int', at: { type, format: dateFormat(format) }, note: 'string' },
    proxy: { type: 'rest', url: 'https://example.com/events' },
  }) {};

const days = fc.constantFrom('d.m.Y', 'j/n/Y', 'Y-m-d', 'M j, Y', 'F d Y', 'Ymd', '\\d\\a\\y d.m.Y');
const times = fc.constantFrom('', ' H:i', ' G:i:s', ' h:i A', '\\TH:i:s.u', ' g:i:s a', ' H:i:sP', ' H:iO');
const year = fc.integer({ min: 0, max: 9999 });

describe('a pattern', () => {
  test('reads what it writes, and keeps every instant that it holds', () => {
    fc.assert(
      fc.property(days, times, fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), (day, time, ms) => {
        const Event = model(day + time);
        const unit = time === '' ? 86_400_000 : time.includes('u') ? 1 : time.includes('s') ? 1000 : 60_000;
        const date = new Date(Math.floor(ms / unit) * unit);
        const event = new Event({ at: date });
        expect(event.$.errors).toEqual({});
        expect(event.$.validate()).toEqual([]);
        const text = bodyOf(event)['at'];
        expect(typeof text).toBe('string');
        expect((Event.fromRow({ id: 1, at: text }).at as Date).getTime()).toBe(date.getTime());
      }),
      { numRuns: 500 },
    );
  });

  test('keeps days of the type dateonly', () => {
    fc.assert(
      fc.property(days, year, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }), (format, y, m, d) => {
        const [yyyy, mm, dd] = [String(y).padStart(4, '0'), String(m).padStart(2, '0'), String(d).padStart(2, '0')];
        const Event = model(format, 'dateonly');
        const text = bodyOf(new Event({ at: `${yyyy}-${mm}-${dd}` }))['at'];
        expect(Event.fromRow({ id: 1, at: text }).at).toBe(`${yyyy}-${mm}-${dd}`);
      }),
    );
  });

  test.each([
    ['d.m.Y', '21.11.2026', '2026-11-21T00:00:00.000Z'],
    ['m/Y', '11/2026', '2026-11-01T00:00:00.000Z'],
    ['d.m.Y h:i A', '21.11.2026 12:05 AM', '2026-11-21T00:05:00.000Z'],
    ['Y-m-d H:i:sP', '2026-11-21 13:05:00+02:00', '2026-11-21T11:05:00.000Z'],
    ['Y-m-d H:iO', '2026-11-21 13:05-0330', '2026-11-21T16:35:00.000Z'],
  ])('%s reads %s', (format, text, iso) => {
    expect((model(format).fromRow({ id: 1, at: text }).at as Date).toISOString()).toBe(iso);
  });

  test.each([
    ['d.m.Y', '30.02.2026'],
    ['d.m.Y', '1.2.2026'],
    ['d.m.Y', '2026-11-21'],
    ['d.m.Y', ' 21.11.2026'],
    ['d.m.Y', 20261121],
    ['d.m.Y H:i', '21.11.2026 24:00'],
    ['d.m.Y h:i a', '21.11.2026 13:00 pm'],
    ['timestamp', 'soon'],
    ['timestamp', '1e9'],
  ])('%s does not read %s, which is reported and written back as it is', (format, text) => {
    const event = model(format).fromRow({ id: 1, at: text, note: 'a' });
    expect(event.at).toBe(text);
    expect(event.$.errors).toMatchObject({ at: [{ path: ['at'], code: 'type' }] });
    event.note = 'b';
    expect(bodyOf(event, 'update')['at']).toBe(text);
  });

  test.each([
    'y',
    'D d.m.Y',
    'H:i',
    'd.Y',
    'd.m.Y h:i',
    'd.m.Y H:i a',
    'jnY',
    'd.m.Y i',
    'd.d.m.Y',
    'c',
    'Y-m-d U',
    'Y\\',
  ])('with the form %s is refused at definition', (format) => {
    expect(() => model(format)).toThrow(expect.objectContaining({ code: 'definition' }));
  });

  test('is refused for other types, and beside functions', () => {
    const define = (field: object) => () => Model.define({ fields: { id: 'int', at: field } });
    expect(define({ type: 'string', format: dateFormat('d.m.Y') })).toThrow(
      "is for the types 'date' and 'dateonly' only",
    );
    expect(define({ type: 'date', format: dateFormat('d.m.Y'), convert: String })).toThrow('without `convert`');
    expect(define({ type: 'dateonly', format: dateFormat('timestamp') })).not.toThrow();
  });

  test('alone, as a text, is refused with the function to use', () => {
    const pattern = 'd.m.Y';
    const define = () => Model.define({ fields: { at: { type: 'date', format: pattern as never } } });
    expect(define).toThrow("`dateFormat('d.m.Y')` with `dateFormat` from 'repose'");
  });
});

test('a value that the format would shorten is an error, and is not sent', async () => {
  const event = new (model('d.m.Y'))({ at: new Date('2026-11-21T13:00:00Z') });
  expect(event.$.validate()).toMatchObject([{ path: ['at'], code: 'type' }]);
  await expect(event.save()).rejects.toMatchObject({ code: 'validation' });
  const store = new Store({ model: event.constructor as typeof Model });
  store.add(event);
  const { failures } = await store.sync();
  expect(failures).toMatchObject([{ error: { code: 'validation' } }]);
});

test.each([
  ['timestamp', 1795266000, 1795266060],
  ['timestamp', 1795266000.5, 1795266060],
  ['timestamp', '1795266000', '1795266060'],
  ['time', 1795266000000, 1795266060000],
])('%s reads %s, and writes the same kind of value', (format, raw, written) => {
  const event = model(format).fromRow({ id: 1, at: raw, note: 'a' });
  const factor = format === 'time' ? 1 : 1000;
  expect((event.at as Date).getTime()).toBe(Number(raw) * factor);
  event.note = 'b';
  expect(bodyOf(event, 'update')['at']).toBe(raw);
  event.at = new Date(Number(written) * factor);
  expect(bodyOf(event, 'update')['at']).toBe(written);
});

test('filters send values in the format', () => {
  const Event = model('d.m.Y');
  const day = new Date('2026-11-21T00:00:00Z');
  const filters = [{ property: 'at', operator: 'in', value: [day] }, { or: [{ property: 'at', value: day }] }];
  const sent = (dialect: ReturnType<typeof plain>, some: object[]) => {
    const proxy = new RestProxy({ url: 'https://example.com/events', dialect });
    const operation = new Operation({
      action: 'read',
      model: (new Event() as unknown as OperationRecord)[MODEL],
      filters: some as never,
    });
    return decodeURIComponent(proxy.buildRequest(operation).url as string);
  };
  expect(sent(classic, filters.slice(0, 1))).toContain('"value":["21.11.2026"]');
  expect(sent(plain(), [{ property: 'at', value: day }])).toContain('at=21.11.2026');
});

/** The body that a save of the record would have. */
function bodyOf(record: object, action: 'create' | 'update' = 'create'): Record<string, unknown> {
  const proxy = new RestProxy({ url: 'https://example.com/events', actionMethods: { update: 'PUT' } });
  const request = proxy.buildRequest(new Operation({ action, records: [record as never] }));
  return (typeof request.body === 'string' ? JSON.parse(request.body) : request.body) as Record<string, unknown>;
}
