import { AuthError, auth, formBodies } from 'repose';
import { django } from 'repose/dialects';
import { expect } from 'vitest';
import { DJANGO } from '../django.js';
import { NEW } from '../host.js';
import { jsonAccess } from '../json-access.js';
import type { ServerProfile } from '../profile.js';

export const profile: ServerProfile = {
  ...DJANGO,
  title: 'Django REST Framework, limit and offset',
  proxy: (url) => ({
    url: `${url}/api/users`,
    dialect: django({
      paging: 'limitOffset',
      lookups: ['gte', 'lte', 'gt', 'lt', 'in', 'range', 'isnull', 'startswith', 'endswith', 'icontains'],
    }),
  }),
  facts: {
    ...DJANGO.facts,
    suffix: { format: 'json' },
    oddIds: {
      ids: ["it's", 'two words', 'Zoë ☃', 'dot.', '50%', 'a/b', 'x?y#z', 'list.json'],
      proxy: { url: '/api/labels' },
      model: { identifier: 'natural', fields: { id: 'string', name: 'string' } },
      record: (id) => ({ name: `Label ${id}` }),
      access: (url) => jsonAccess({ address: (id) => `${url}/api/labels/${encodeURIComponent(id)}/` }),
    },
    file: {
      field: 'content',
      proxy: { url: '/api/documents', writer: { type: 'multipart' }, use: [formBodies()] },
      model: { fields: { id: 'int', name: 'string', content: 'auto' } },
      record: () => ({ name: 'Note' }),
      async check(address, text) {
        expect(await (await fetch(String(address))).text()).toBe(text);
      },
    },
    longNumber: {
      field: 'serial',
      digits: '9007199254740993',
      body: (n) => `{"name":"Long","email":"long${n}@example.test","serial":9007199254740993}`,
    },
  },
  more(host, test) {
    test('sends the token of a form, without which the server refuses to write', async () => {
      const page = await fetch(`${host.url}/form/`);
      const [, token = ''] = /csrftoken=([^;]+)/.exec(page.headers.get('set-cookie') ?? '') ?? [];
      const headers = { Cookie: `csrftoken=${token}` };
      const proxy = { url: `${host.url}/api/forms`, headers };
      const values = DJANGO.record(host.next());
      await expect(new (host.model(proxy))(values, NEW).save()).rejects.toMatchObject({ status: 403 });
      const dialect = django({ csrf: () => token });
      const record = new (host.model({ ...proxy, dialect }))(values, NEW);
      await record.save();
      record.set(DJANGO.edit(host.next()));
      await record.save();
      await record.erase();
      expect(host.writes.map(({ status }) => status)).toEqual([403, 201, 200, 204]);
    });

    test('signs in with JSON Web Tokens, and renews them after a 401', async () => {
      const tokens = { access: 'outdated', refresh: '' };
      const post = async (path: string, body: object) => {
        const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
        const answer = await fetch(host.url + path, init);
        if (!answer.ok) throw new Error('sign in again');
        return (await answer.json()) as Partial<typeof tokens>;
      };
      const model = host.model({
        url: `${host.url}/api/signed`,
        headers: () => ({ Authorization: `Bearer ${tokens.access}` }),
        use: [
          auth({
            renew: async () => void Object.assign(tokens, await post('/token/refresh/', { refresh: tokens.refresh })),
          }),
        ],
      });
      await expect(model.load(12)).rejects.toBeInstanceOf(AuthError);
      Object.assign(tokens, await post('/token/', { username: 'ada', password: 'for tests only' }), {
        access: 'outdated',
      });
      host.exchanges.length = 0;
      expect((await model.load(12)).get('email')).toBe('user12@example.test');
      expect(host.exchanges.map(({ status }) => status)).toEqual([401, 200]);
    });
  },
};
