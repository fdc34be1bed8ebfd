import { createHmac } from 'node:crypto';
import { auth, formBodies, Model, Operation, RestProxy, type RestProxyConfig, retry } from 'repose';
import { describe, expect, test } from 'vitest';
import { signature } from '../../examples/extensions/signature.js';
import type { Received } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const SECRET = new TextEncoder().encode('a secret that server and client share');
const ROW = { id: 7, name: 'Ed' };

const importKey = () => crypto.subtle.importKey('raw', SECRET, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
const define = async (config: RestProxyConfig = {}) => {
  const { use = [], ...rest } = config;
  const fields = { id: 'int', name: 'string' } as const;
  const proxy = server.proxy('/users', { ...rest, use: [signature(await importKey()), ...use] });
  return class extends Model.define({ name: 'user', fields, proxy }) {};
};
/** The signature that the server expects for a request. */
const expected = ({ method, url, text }: Received) =>
  createHmac('sha256', SECRET).update(`${method}\nhttp://rest.test${url}\n${text}`).digest('base64');
const signatures = () => server.requests.map(({ headers }) => headers['x-signature']);

describe('the extension signature()', () => {
  test('signs verb, address and body of every request', async () => {
    const User = await define({ noCache: true });
    server.reply({ json: ROW }, { json: ROW }, { status: 201, json: { id: 8, name: 'Jö' } }, { status: 204 });
    const user = await User.load(7);
    user.name = 'Eddy';
    await user.save();
    const other = await new User({ name: 'Jö' }).save();
    await other.erase();
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'PUT', 'POST', 'DELETE']);
    expect(signatures()).toEqual(server.requests.map(expected));
  });

  test('signs repeated requests, even after a new sign-in', async () => {
    let token = 'stale';
    const signIn = auth({ renew: () => void (token = 'fresh') });
    const User = await define({
      headers: () => ({ Authorization: token }),
      use: [retry({ backoff: { base: 0 } }), signIn],
    });
    server.reply({ status: 503 }, { status: 401 }, { json: ROW });
    await User.load(7);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['stale', 'stale', 'fresh']);
    expect(signatures()).toEqual(server.requests.map(expected));
  });

  test('refuses a form with files, which has no text before it is sent', async () => {
    const User = await define({ writer: { type: 'multipart' }, use: [formBodies()] });
    const { proxy } = User as unknown as { proxy: RestProxy };
    await expect(proxy.send({ method: 'POST', body: { file: new File(['x'], 'x.txt') } })).rejects.toThrow(
      'A body with files cannot be signed: send it as JSON',
    );
    expect(server.requests).toEqual([]);
  });

  test('signs nothing for another origin', async () => {
    const received: Headers[] = [];
    const proxy = new RestProxy({
      url: 'https://own.test/users',
      trustLinks: ['https://other.test'],
      use: [signature(await importKey())],
      fetch: async (_, init) => {
        received.push(new Headers(init?.headers));
        return Response.json([]);
      },
    });
    for (const link of ['https://own.test/users?after=1', 'https://other.test/users?after=1'])
      await proxy.read(new Operation({ action: 'read', link }));
    expect(received.map((headers) => headers.has('x-signature'))).toEqual([true, false]);
  });
});
