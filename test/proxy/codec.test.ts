import { type BodyCodec, etags, explain, Model, RestProxy, readAnyProblem, Store, streaming } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

/** Lines of `name=value`; a list has one row per paragraph. */
const lines: BodyCodec = {
  name: 'lines',
  mediaType: 'text/x-lines',
  write(body) {
    if (Array.isArray(body)) throw new Error('it holds a list');
    return Object.entries(Object(body))
      .map(([name, value]) => `${name}=${value}`)
      .join('\n');
  },
  parse(text) {
    const rows = text.split('\n\n').map((paragraph) => {
      const pairs = paragraph.split('\n').map((line) => line.split('='));
      if (pairs.some(({ length }) => length !== 2)) throw new Error('a line has no `=`');
      return Object.fromEntries(pairs);
    });
    return rows.length > 1 ? rows : rows[0];
  },
};

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', born: 'date' },
  proxy: server.proxy('/users', { codec: lines }),
}) {}

describe('the option `codec`', () => {
  test('writes and reads the bodies of every request, and names its media type', async () => {
    server.reply({ text: 'id=1\nname=Ada\n\n'.concat('id=2\nname=Bob') }, { status: 201, text: 'id=7\nname=Cid' });
    const users = new Store({ model: User });
    await users.load();
    expect(users.getRange().map(({ id, name }) => [id, name])).toEqual([
      [1, 'Ada'],
      [2, 'Bob'],
    ]);
    expect(server.last.headers).toMatchObject({ accept: 'text/x-lines' });
    expect(server.last.headers).not.toHaveProperty('content-type');
  });

  test('shows the body and the headers in an explanation', async () => {
    const { body, headers } = await explain(User.proxy, { action: 'create', records: [new User({ name: 'Ada' })] });
    expect(body?.text).toBe('name=Ada');
    expect(headers.map(({ text }) => text)).toEqual(['Accept: text/x-lines', 'Content-Type: text/x-lines']);
  });

  test('refuses a malformed answer with the message of the codec, and names HTML', async () => {
    server.reply({ text: 'no pair' }, { text: '<!DOCTYPE html><p>Hello' });
    const expected = (what: string) => expect.stringContaining(`answered 200 with ${what} instead of lines`);
    await expect(User.load(1)).rejects.toMatchObject({
      name: 'ReadError',
      message: expected('malformed text (a line has no `=`)'),
    });
    await expect(User.load(1)).rejects.toMatchObject({ name: 'ReadError', message: expected('HTML') });
  });

  test('reads the bodies of errors too; a malformed one is its text', async () => {
    const Strict = User.with({ proxy: { reader: { problem: readAnyProblem } } });
    server.reply({ status: 422, text: 'message=no name' }, { status: 500, text: 'broken' });
    await expect(Strict.load(1)).rejects.toMatchObject({ problem: { detail: 'no name' } });
    await expect(Strict.load(1)).rejects.toMatchObject({ status: 500, body: 'broken' });
  });

  test('reads a cached list by the codec when the server answers 304', async () => {
    const Cached = User.with({ proxy: { use: [etags()] } });
    const users = new Store({ model: Cached });
    server.reply({ text: 'id=1\nname=Ada\n\nid=2\nname=Bob', headers: { ETag: '"1"' } }, { status: 304 });
    await users.load();
    await users.reload();
    expect(server.last.headers['if-none-match']).toBe('"1"');
    expect(users.getRange().map(({ name }) => name)).toEqual(['Ada', 'Bob']);
  });

  test('refuses a body that the codec cannot write, and sends nothing', async () => {
    const rejected = new RestProxy(server.proxy('/users', { codec: lines })).send({ method: 'POST', body: [1] });
    await expect(rejected).rejects.toMatchObject({
      code: 'validation',
      issues: [{ code: 'codec', message: expect.stringContaining('cannot be sent as lines: it holds a list. Change') }],
    });
    expect(server.lines).toEqual([]);
  });

  test('refuses a file, which no text can carry, and sends nothing', async () => {
    const body = { a: 1, file: new File(['x'], 'x.txt') };
    const rejected = new RestProxy(server.proxy('/users', { codec: lines })).send({ method: 'POST', body });
    await expect(rejected).rejects.toMatchObject({ issues: [{ code: 'codec' }] });
    expect(server.lines).toEqual([]);
  });

  test.each([{ stream: true }, { type: 'ndjson' as const }])('refuses a reader with %j', async (reader) => {
    const Streamed = User.with({ proxy: { reader, use: [streaming()] } });
    await expect(Streamed.load(1)).rejects.toMatchObject({
      code: 'definition',
      message: expect.stringContaining('reads JSON, and the codec of the proxy reads lines: remove one of them'),
    });
  });

  test.each([{ ...lines, parse: undefined }, 'xml', {}])('refuses %j', (codec) => {
    expect(() => new RestProxy({ url: '/users', codec: codec as never })).toThrow(
      /codec must be an object with the functions `write` and `parse`/,
    );
  });
});
