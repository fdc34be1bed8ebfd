import { etags, Model, plain, Store, streaming } from 'repose';
import { xml } from 'repose/xml';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Person extends Model.define({
  name: 'person',
  fields: { id: 'int', name: 'string', age: 'int' },
  proxy: server.proxy('/people', { dialect: plain({ actionMethods: { update: 'PUT' } }) }),
}) {}

const reply = (charset: string, text: string | Uint8Array, headers: Record<string, string> = {}) =>
  server.reply({ text, headers: { 'Content-Type': `application/json;${charset}`, ...headers } });
const latin = (value: unknown) => Buffer.from(JSON.stringify(value), 'latin1');

describe('the charset of an answer', () => {
  test.each([
    ['charset=iso-8859-1', latin({ id: 1, name: 'René', age: 36 })],
    ['charset="ISO-8859-1"', latin({ id: 1, name: 'René', age: 36 })],
    ['profile=x; Charset=windows-1252', latin({ id: 1, name: 'René', age: 36 })],
    ['charset=utf-16le', Buffer.from(JSON.stringify({ id: 1, name: 'René', age: 36 }), 'utf16le')],
    ['charset=utf-8', JSON.stringify({ id: 1, name: 'René', age: 36 })],
    ['charset=UTF8', JSON.stringify({ id: 1, name: 'René', age: 36 })],
    ['', JSON.stringify({ id: 1, name: 'René', age: 36 })],
    ['charset=iso-8859-1', JSON.stringify({ id: 1, name: 'René', age: 36 })],
    ['charset=us-ascii', JSON.stringify({ id: 1, name: 'René', age: 36 })],
    ['charset=iso-8859-1', `\ufeff${JSON.stringify({ id: 1, name: 'René', age: 36 })}`],
    ['charset=utf-16', Buffer.from(`\ufeff${JSON.stringify({ id: 1, name: 'René', age: 36 })}`, 'utf16le').swap16()],
    ['', Buffer.from(`\ufeff${JSON.stringify({ id: 1, name: 'René', age: 36 })}`, 'utf16le')],
    ['charset=none-such', JSON.stringify({ id: 1, name: 'René', age: 36 })],
  ])('is heard: %s', async (charset, body) => {
    reply(charset, body);
    const person = await Person.load(1);
    expect(person.name).toBe('René');
    person.age = 37;
    server.reply({ status: 204 });
    await person.save();
    expect(server.last.body).toEqual({ id: 1, name: 'René', age: 37 });
  });

  test.each([
    ['gbk', [0xc4, 0xbe], '木'],
    ['windows-1251', [0xcd, 0xb3], 'Ні'],
  ])('is heard although a short text in %s looks like UTF-8', async (charset, bytes, name) => {
    reply(`charset=${charset}`, Buffer.from([...Buffer.from('{"id":1,"name":"'), ...bytes, ...Buffer.from('"}')]));
    expect((await Person.load(1)).name).toBe(name);
  });

  test('is heard in errors, and an empty body has none', async () => {
    server.reply(
      {
        status: 422,
        text: latin({ message: 'Zu groß' }),
        headers: { 'Content-Type': 'application/json; charset=iso-8859-1' },
      },
      { status: 204, headers: { 'Content-Type': 'application/json; charset=iso-8859-1' } },
    );
    await expect(Person.load(1)).rejects.toMatchObject({ problem: { detail: 'Zu groß' } });
    const person = Person.fromRow({ id: 1, name: 'Ada', age: 36 });
    person.age = 37;
    await person.save();
    expect(person.dirty).toBe(false);
  });

  test.each([
    [
      'a document',
      [
        { id: 1, name: 'René' },
        { id: 2, name: 'Zoë' },
      ],
      JSON.stringify,
    ],
    [
      'lines',
      [
        { id: 1, name: 'René' },
        { id: 2, name: 'Zoë' },
      ],
      (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    ],
  ])('is heard in a stream of %s', async (what, rows, write) => {
    const type = what === 'lines' ? 'ndjson' : 'json';
    const Streamed = Person.with({ proxy: { reader: { type }, use: [streaming()] } });
    const headers = { 'Content-Type': `application/${type}; charset=latin1` };
    server.reply({ text: Buffer.from(write(rows), 'latin1'), headers });
    const people = new Store({ model: Streamed, pageSize: 0 });
    await people.load();
    expect(people.getRange().map(({ name }) => name)).toEqual(['René', 'Zoë']);
  });

  test.each(['', 'charset=utf-8', 'charset=gb18030', 'charset=none-such'])(
    'that is not the one of its letters (%s): nothing is read, so that no PUT writes replaced letters back',
    async (charset) => {
      const body = Buffer.from(JSON.stringify([{ id: 1, name: 'René' }]), 'latin1');
      const people = new Store({ model: Person, pageSize: 0 });
      reply(charset, body);
      await expect(people.load()).rejects.toMatchObject({ code: 'read', reason: 'response-json' });
      reply(charset, body.subarray(1, -1));
      await expect(Person.load(1)).rejects.toThrow(
        /malformed text \(The encoded data was not valid|malformed text \(.*none-such/,
      );
      const Streamed = Person.with({ proxy: { use: [streaming()], reader: { stream: true } } });
      const rows = [
        { id: 1, name: 'Ada' },
        { id: 2, name: 'René' },
      ];
      reply(charset, Buffer.from(JSON.stringify(rows), 'latin1'));
      const streamed = new Store({ model: Streamed, pageSize: 0 });
      await expect(streamed.load()).rejects.toMatchObject({ code: 'read', reason: 'stream-row' });
    },
  );

  test('of a failure without a charset leaves its message readable', async () => {
    server.reply({ status: 422, text: latin({ message: 'Zu groß' }), headers: { 'Content-Type': 'application/json' } });
    await expect(Person.load(1)).rejects.toMatchObject({ problem: { detail: 'Zu gro\ufffd' } });
  });

  test("does not matter to an answer whose `text()` is of the application's own", async () => {
    const bodies = [
      Object.assign(new Response('{"sealed":1}'), { text: async () => '{"id":1,"name":"René"}' }),
      { ok: true, status: 200, url: '', redirected: false, text: async () => '{"id":1,"name":"René"}' } as Response,
    ];
    for (const body of bodies) {
      const Sealed = Person.with({ proxy: { fetch: async () => body } });
      expect((await Sealed.load(1)).name).toBe('René');
    }
  });

  test('is heard in each split of a stream', async () => {
    const rows = [{ id: 1 }, { id: 2, name: 'é' }];
    const text = JSON.stringify(rows);
    const cases: [string, Buffer][] = [
      ['iso-8859-1', Buffer.from(text, 'latin1')],
      ['iso-8859-1', Buffer.from(text)],
      ['utf-16', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ];
    for (const [charset, bytes] of cases) {
      for (let cut = 0; cut <= bytes.length; cut++) {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) controller.enqueue(part);
            controller.close();
          },
        });
        const headers = {
          'Content-Type': `application/json; charset=${charset}`,
          'Content-Length': String(bytes.length),
        };
        const progress: (number | undefined)[] = [];
        const Streamed = Person.with({
          proxy: { use: [streaming()], reader: { stream: true }, fetch: async () => new Response(body, { headers }) },
        });
        const people = new Store({ model: Streamed, pageSize: 0 });
        people.on('progress', ({ totalBytes }) => void progress.push(totalBytes));
        await people.load();
        const names = people.getRange().map(({ name }) => name);
        expect([charset, cut, names, progress.some(Boolean)]).toEqual([charset, cut, [undefined, 'é'], false]);
      }
    }
  });

  test('is heard in XML', async () => {
    const Xml = Person.with({ proxy: xml({ list: 'people', record: 'person' }) });
    const document = '<?xml version="1.0" encoding="ISO-8859-1"?><person><id>1</id><name>René</name></person>';
    const headers = { 'Content-Type': 'application/xml; charset=iso-8859-1' };
    server.reply({ text: Buffer.from(document, 'latin1'), headers });
    expect((await Xml.load(1)).name).toBe('René');
    server.reply({ text: Buffer.from(document, 'latin1'), headers: { 'Content-Type': 'application/xml' } });
    expect((await Xml.load(1)).name).toBe('René');
  });

  test.each([
    ['iso-8859-1', Buffer.from('René', 'latin1'), 'René'],
    ['windows-1251', Buffer.from([0xcd, 0xb3]), 'Ні'],
  ])('is not heard twice when a cached list in %s is read again', async (charset, bytes, name) => {
    const people = new Store({ model: Person.with({ proxy: { use: [etags()] } }), pageSize: 0 });
    const list = Buffer.concat([Buffer.from('[{"id":1,"name":"'), bytes, Buffer.from('"}]')]);
    reply(`charset=${charset}`, list, { ETag: '"1"' });
    await people.load();
    server.reply({ status: 304 });
    await people.reload();
    expect(server.last.headers['if-none-match']).toBe('"1"');
    expect(people.getAt(0)?.name).toBe(name);
  });
});
