import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { Model, RestProxy, Store } from 'repose';
import { record, toCurl } from 'repose/devtools';
import { describe, expect, test } from 'vitest';
import { SecretMask } from '../../src/devtools/secrets/secret-mask.js';
import { shop, shopServer } from './support.js';

const mask = new SecretMask(['iban']);

describe('secrets', () => {
  test.each([
    ['https://ada:pw@api.test/x?access_token=abc&page=2', 'https://***@api.test/x?access_token=***&page=2'],
    ['/x?iban=DE12&name=Ada', '/x?iban=***&name=Ada'],
    ['/x?filter[iban][eq]=DE12', '/x?filter[iban][eq]=***'],
    ['/x?filter%5Biban%5D=DE12', '/x?filter%5Biban%5D=***'],
    ["/x?$filter=iban%20eq%20'DE12'", '/x?$filter=***'],
    ['/x?page=2&limit=10', '/x?page=2&limit=10'],
    ['/x?country_code=CH&sortKey=a&ticketId=7&keyword=b', '/x?country_code=CH&sortKey=a&ticketId=7&keyword=b'],
    ['/x?code=a&resetCode=b&key=c&x-functions-key=d', '/x?code=***&resetCode=***&key=***&x-functions-key=***'],
    ['/x?h=8f3Kd92mQx7LpA4zT1&next=eyJpZCI6MTAsInAiOjJ9', '/x?h=***&next=***'],
    [
      '/x?customerId=65f1c0ffee65f1c0ffee65f1&day=2026-11-26T23:00:00.000Z&fields=customerAddressLine1',
      '/x?customerId=65f1c0ffee65f1c0ffee65f1&day=2026-11-26T23:00:00.000Z&fields=customerAddressLine1',
    ],
  ])('in addresses are masked: %s', (url, masked) => {
    expect(mask.address(url)).toBe(masked);
  });

  test('in filters that are JSON are masked, and the rest stays readable', () => {
    const filter = JSON.stringify([
      { property: 'iban', operator: 'eq', value: 'DE12' },
      { property: 'name', value: 'Ada' },
    ]);
    const masked = decodeURIComponent(mask.address(`/x?filter=${encodeURIComponent(filter)}`));
    expect(masked).not.toContain('DE12');
    expect(masked).toContain('"value":"Ada"');
  });

  test.each([
    [
      '{"name":"Ada","password":"x1","deep":[{"iban":"DE12"}]}',
      '{"name":"Ada","password":"***","deep":[{"iban":"***"}]}',
    ],
    ['user=ada&password=x1', 'user=ada&password=***'],
    ['{"iban":"DE12","name":"Ad', '{"iban":"***","name":"Ad'],
    ['<p>token is not JSON</p>', '<p>token is not JSON</p>'],
    ['', ''],
  ])('in bodies are masked: %s', (text, masked) => {
    expect(mask.text(text)).toBe(masked);
  });

  test('are masked under the names that fields are mapped to, in every row of a list', async () => {
    const rows = Array.from({ length: 80 }, (_, id) => ({
      id,
      kontonr: `DE${id}x`,
      login: { kennwort: `k${id}x` },
      tax_id: `T${id}x`,
    }));
    class Member extends Model.define({
      name: 'member',
      fields: {
        ...{ id: 'int', taxId: 'string' },
        iban: { type: 'string', mapping: 'kontonr' },
        password: { type: 'string', mapping: 'login.kennwort' },
      },
      proxy: { type: RestProxy, url: 'https://m.test/members', fetch: async () => Response.json(rows) },
    }) {}
    const recorder = record(Member, { secrets: ['iban', 'taxId'] });
    await new Store({ model: Member, pageSize: 0 }).load();
    const recording = recorder.recording();
    expect(recording.secrets).toEqual(['iban', 'taxId', 'kontonr', 'kennwort']);
    expect(JSON.stringify(recording)).not.toMatch(/DE\d+x|k\d+x|T\d+x/);
    expect(JSON.stringify(recorder.operations)).toMatch(/DE79x/);
    recorder.dispose();
  });

  test('that a name has told are masked in all texts, and bodies stay JSON', async () => {
    const { Customer } = shop(shopServer());
    const recorder = record(Customer, { secrets: ['taxId', 'kind'] });
    await Customer.load(1, { params: { taxId: '1234567890', kind: 'customer', other: '1234567890' } });
    const [operation] = recorder.recording().operations;
    recorder.dispose();
    expect(operation).toMatchObject({ model: 'customer', kind: 'read', state: 'done' });
    expect(JSON.stringify(operation)).not.toContain('1234567890');
    const body = { text: '{"taxId":1234567890,"id":1234567890}', length: 1 };
    const attempts = operation?.attempts.map((attempt) => ({ ...attempt, body }));
    const masked = new SecretMask(['taxId']).operation({ ...operation, attempts } as never);
    expect(JSON.parse(masked.attempts[0]?.body?.text ?? '')).toEqual({ taxId: '***', id: '***' });
  });

  test('in headers are masked by the name of the header', () => {
    const headers = {
      Authorization: 'Bearer a',
      Cookie: 'a=b',
      'X-Api-Key': 'k',
      'X-CSRF-Token': 't',
      Accept: 'text/html',
    };
    expect(Object.values(mask.headers(headers))).toEqual(['***', '***', '***', '***', 'text/html']);
    expect(mask.headers({ Location: 'https://api.test/x?token=abc' })).toEqual({
      Location: 'https://api.test/x?token=***',
    });
  });

  test('in addresses inside of headers are masked where a recording explains the parts of a request', async () => {
    const { Order } = shop(shopServer());
    const recorder = record(Order);
    await Order.load(1, { headers: { Referer: 'https://page.test/?token=abc123456' } });
    const exported = JSON.stringify(recorder.recording());
    recorder.dispose();
    expect(exported).toContain('https://page.test/?token=***');
    expect(exported).not.toContain('abc123456');
  });
});

describe('copy as curl', () => {
  test('masks secrets, quotes for a shell, and writes secrets out only if it is asked to', async () => {
    const { Order } = shop(shopServer());
    const recorder = record(Order);
    const order = await Order.load(1);
    order.set({ note: "it's $(rm -rf /) `now`" });
    await order.save();
    const [, update] = recorder.operations;
    recorder.dispose();
    const command = toCurl(update as never);
    expect(command).toMatch(/^curl -X '(PUT|PATCH)' 'http:\/\/test\.local\/orders\/1'/);
    expect(command).toContain("-H 'authorization: ***'");
    expect(command).toContain("it'\\''s $(rm -rf /) `now`");
    expect(toCurl(update as never, { withSecrets: true })).toContain('Bearer abc123');
  });

  test('gives a shell each argument as it was sent, whatever is in it', () => {
    const text = fc
      .string({ unit: 'binary', maxLength: 20 })
      .map((each) => Buffer.from(each.replaceAll('\0', '')).toString());
    const cases = fc.sample(fc.record({ body: text, header: text.map((each) => each.replaceAll(/[\r\n]/g, '')) }), 60);
    cases.push({ body: "'; touch /tmp/x; '$(id)`id`\\\n!!%s", header: '-o /tmp/x' });
    const commands = cases.map(({ body, header }) => {
      const attempt = {
        at: 0,
        waited: 0,
        method: 'POST',
        url: 'https://a.test/',
        headers: { 'x-a': header, 'x-b': '' },
      };
      const attempts = [{ ...attempt, body: { text: body, length: body.length } }];
      return toCurl({ attempts } as never, { withSecrets: true });
    });
    const script = `curl() { printf '%s\\0' "$@"; printf 'end\\0'; }\n${commands.join('\n')}`;
    const { stdout } = spawnSync('bash', [], { input: script, encoding: 'utf8' });
    const expected = cases.map(({ body, header }) =>
      [
        '-X',
        'POST',
        'https://a.test/',
        '-H',
        header === '' ? 'x-a;' : `x-a: ${header}`,
        '-H',
        'x-b;',
        '--data-raw',
        body,
        'end',
      ].join('\0'),
    );
    expect(stdout).toBe(`${expected.join('\0')}\0`);
  });

  test('tells curl the method where it would take another one', () => {
    const command = (method: string, body?: object) =>
      toCurl({
        parts: [],
        records: [],
        attempts: [{ method, url: 'https://a.test/', headers: {}, ...(body && { body }) }],
      } as never);
    expect(command('HEAD')).toBe("curl --head 'https://a.test/'");
    expect(command('GET')).toBe("curl 'https://a.test/'");
    expect(command('GET', { text: 'a', length: 1 })).toBe("curl -X 'GET' 'https://a.test/' \\\n  --data-raw 'a'");
    expect(command('PUT')).toBe("curl -X 'PUT' 'https://a.test/'");
  });

  test('keeps curl from taking brackets and braces in an address for several addresses', async () => {
    const { Order } = shop(shopServer());
    const recorder = record(Order);
    await Order.load(1);
    const [read] = recorder.operations;
    recorder.dispose();
    const attempts = read?.attempts.map((attempt) => ({ ...attempt, url: `${attempt.url}?ids={1,2}` }));
    const command = toCurl({ ...read, attempts } as never);
    expect(command).toContain("curl --globoff 'http://test.local/orders/1?ids={1,2}'");
  });

  test('returns nothing for an operation that was never sent', async () => {
    const { Order } = shop(shopServer());
    const recorder = record(Order);
    await Order.load(1, { params: { wrong: Symbol('wrong') } as never }).catch(() => undefined);
    expect(toCurl(recorder.operations[0] as never)).toBeUndefined();
    recorder.dispose();
  });
});
