import fc from 'fast-check';
import { Model, RestProxy } from 'repose';
import { record, toCurl, toTest } from 'repose/devtools';
import { describe, expect, test } from 'vitest';
import type { RecordedAttempt, RecordedOperation, Recording } from '../../src/devtools/recording.js';
import { SecretMask } from '../../src/devtools/secrets/secret-mask.js';

const mask = new SecretMask(['iban']);

/** A secret: hard to guess, with characters that addresses, JSON, XML and shells treat in their own ways. */
const secrets = fc
  .stringMatching(/^[A-Za-z0-9]{4}[A-Za-z0-9@:!$*+~^ .,;_-]{0,12}[A-Za-z0-9]{4}$/)
  .map((text) => `Zq7${text}9x`);
/** A secret as one word. */
const words = fc.stringMatching(/^[A-Za-z0-9._~-]{8,20}$/).map((text) => `Zq7${text}9x`);
const parameterNames = fc.constantFrom(
  ...[
    'sig',
    'X-Amz-Signature',
    'X-Amz-Credential',
    'key',
    'api_key',
    'code',
    'otp',
    'access_token',
    'id_token',
    'password',
    'client_secret',
  ],
  ...[
    'jwt',
    'session_id',
    'filter[password]',
    'filter[iban][eq]',
    'user.passwd',
    'nonce',
    'ticket',
    'SAMLResponse',
    'apiKey',
    'authCode',
  ],
);
const memberNames = fc.constantFrom(
  ...[
    'password',
    'newPassword',
    'user_pwd',
    'passphrase',
    'token',
    'refreshToken',
    'secret',
    'clientSecret',
    'apiKey',
    'api-key',
    'iban',
    'IBAN',
  ],
  ...[
    'authorization',
    'auth',
    'pin',
    'otp',
    'cvv',
    'credentials',
    'sessionId',
    'private_key',
    'X-Amz-Signature',
    'csrfToken',
    'cookie',
  ],
);
const headerNames = fc.constantFrom(
  ...[
    'authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'x-amz-security-token',
    'x-csrf-token',
    'proxy-authorization',
    'x-goog-signature',
  ],
  ...['x-acme', 'apikey', 'x-vault-token', 'x-forwarded-user', 'cf-access-jwt-assertion', 'ocp-apim-subscription-key'],
);
const encode = encodeURIComponent;

/** The places of a recording, each with a secret in it. */
const places = fc.oneof(
  fc.record({ secret: secrets, name: parameterNames }).chain(({ secret, name }) => {
    const pair = `${encode(name)}=${encode(secret)}`;
    const url = `https://api.test/orders?page=2&${pair}&limit=3`;
    return fc.constantFrom(
      { secret, url },
      { secret, url: `https://api.test/orders?${pair}` },
      { secret, url: `https://api.test/back#${pair}&state=open` },
      { secret, url: `https://api.test/#/back?${pair}` },
      { secret, url: `https://api.test/x?next=${encode(url)}` },
      { secret, url: `https://api.test/x?next=${encode(`/y?next=${encode(url)}`)}` },
      { secret, url: `https://api.test/orders?a=1;${pair}` },
      { secret, body: pair },
      { secret, body: `grant=x&${name}=${secret}` },
      { secret, body: JSON.stringify({ next: url }) },
      { secret, message: `GET ${url} failed: 500` },
      { secret, message: `Cannot read "${url}", try again` },
      { secret, headers: { location: url } },
      { secret, headers: { referer: `/page?${pair}` } },
      { secret, headers: { link: `<${url}>; rel="next", <https://api.test/x>; rel="last"` } },
      { secret, part: `?${pair}` },
      { secret, values: { note: `See ${url}.` } },
      { secret, query: { link: url } },
      { secret, query: { params: { [name]: secret } } },
      { secret, query: { pathParams: { [name]: secret } }, url: `https://api.test/reset/${encode(secret)}` },
    );
  }),
  fc.record({ secret: secrets, name: memberNames }).chain(({ secret, name }) => {
    const json = JSON.stringify({ id: 1, deep: [{ [name]: secret, other: 2 }] });
    const cut = json.slice(0, json.lastIndexOf(JSON.stringify(secret).slice(1, -1)) + 9);
    const xml = `<?xml version="1.0"?><user id="1"><${name} a="1">${secret}</${name}><b>2</b></user>`;
    return fc.constantFrom(
      { secret, body: json },
      { secret: secret.slice(0, 8), body: cut },
      { secret, body: JSON.stringify({ [name]: [secret, { inner: secret }] }) },
      { secret, body: JSON.stringify({ [name]: [secret, { inner: secret }] }).slice(0, -4) },
      { secret, body: JSON.stringify([{ value: secret, property: name }]) },
      { secret, body: JSON.stringify([{ op: 'replace', path: `/${name}`, value: [secret] }]) },
      { secret, body: JSON.stringify({ inside: json }) },
      { secret, body: JSON.stringify({ inside: JSON.stringify({ inside: json }) }) },
      { secret, body: JSON.stringify({ inside: json }).slice(0, -1) },
      { secret, body: xml },
      { secret, body: `<s:Envelope><s:${name}>${secret}</s:${name}></s:Envelope>` },
      { secret, body: `<user ${name}="${secret}"/>` },
      { secret, body: `<param name="${name}">${secret}</param>` },
      { secret, body: `<param name="${name}" value="${secret}"/>` },
      { secret, body: `<${name}><![CDATA[${secret}]]></${name}>` },
      { secret, message: `The server answered ${json} with 500` },
      { secret, message: `Wrong: {'${name}': '${secret}'}` },
      { secret, message: `A 5" screen, ${json}` },
      { secret, issues: [`${name}="${secret}" is not allowed`] },
      { secret, values: { [name]: secret } },
      { secret, values: { note: json } },
      { secret, url: `https://api.test/orders?filter=${encode(JSON.stringify([{ property: name, value: secret }]))}` },
      { secret, query: { filters: [{ property: name, operator: 'in', value: [secret] }] } },
      // Known by its name in one place, and masked in every other one.
      { secret, body: json, message: `No user has ${secret}.` },
      { secret, values: { [name]: secret, note: `It is ${secret}` } },
    );
  }),
  fc
    .record({ secret: words, name: memberNames })
    .chain(({ secret, name }) =>
      fc.constantFrom(
        { secret, message: `Wrong ${name}=${secret}` },
        { secret, message: `The API key: ${secret}, or the access key=${secret}` },
        { secret, body: JSON.stringify({ query: `mutation { login(user: "ada", ${name}: "${secret}") { id } }` }) },
        { secret, body: JSON.stringify({ back: encode(`/x?${name}=${secret}`) }) },
        { secret, body: JSON.stringify({ sessions: { [`eyJhbGciOi.${secret}.x`]: { id: 1 } } }) },
        { secret, body: `<input type="password" value="${secret}">` },
        { secret, body: `user: ada\n${name}: ${secret}\nid: 1` },
        { secret, message: `Wrong ${name}: ${secret}, try again` },
        { secret, body: JSON.stringify({ note: `Bearer ${secret}` }) },
        { secret, body: JSON.stringify({ note: `curl -H 'Authorization: Bearer ${secret}' https://api.test` }) },
        { secret, message: `Authorization: Bearer ${secret}` },
        { secret, message: `Authorization: Basic ${btoa(`ada:${secret}`)}` },
        { secret: btoa(`ada:${secret}`), values: { note: `Basic ${btoa(`ada:${secret}`)}` } },
        { secret, part: `/reset/eyJhbGciOi.${secret}.x` },
      ),
    ),
  fc
    .record({ secret: secrets, name: headerNames })
    .map(({ secret, name }) => ({ secret, headers: { [name]: secret } })),
  fc.record({ secret: secrets, name: headerNames }).map(({ secret, name }) => ({
    secret,
    headers: { [name]: `Bearer ${secret}` },
    message: `${secret} has expired`,
  })),
  fc
    .record({
      secret: fc.stringMatching(/^Zq7[A-Za-z0-9@:!$*+~^._/?#-]{4,12}9x$/),
      host: fc.constantFrom('api.test', '[::1]:80', 'h:8080'),
    })
    .chain(({ secret, host }) => {
      const url = `https://ada:${secret}@${host}/x`;
      return fc.constantFrom(
        { secret, url },
        { secret, message: `Cannot reach ${url}.` },
        { secret, body: JSON.stringify({ at: url }) },
        { secret, headers: { location: url } },
        { secret, headers: { link: `<${url}>; rel="next"` } },
        { secret, values: { note: url } },
      );
    }),
);

interface Planted {
  readonly secret: string;
  readonly url?: string;
  readonly body?: string;
  readonly message?: string;
  readonly issues?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly part?: string;
  readonly values?: object;
  readonly query?: object;
}

function operationOf({ url, body, message, issues, headers, part, values, query }: Planted): RecordedOperation {
  const kept = body === undefined ? undefined : { text: body, length: body.length };
  const error =
    message === undefined && !issues
      ? undefined
      : { name: 'Error', code: 'http', message: message ?? '', issues: issues ?? [] };
  const attempt: RecordedAttempt = {
    ...{ at: 0, waited: 0, method: 'POST', url: url ?? 'https://api.test/orders', headers: headers ?? {} },
    ...{ duration: 5, status: 200, responseHeaders: headers ?? {} },
    ...(kept && { body: kept, responseBody: kept }),
    ...(error && { error }),
  };
  return {
    ...{
      number: 1,
      kind: 'update',
      state: error ? 'failed' : 'done',
      model: 'order',
      startedAt: 1,
      duration: 9,
      moreRecords: 0,
    },
    parts: [
      { place: 'address', text: part ?? url ?? '/orders', reason: 'r', option: 'url' },
      ...Object.entries(headers ?? {}).map(([name, value]) => ({
        place: 'header' as const,
        text: `${name}: ${value}`,
        reason: 'r',
        option: 'headers',
      })),
      ...(body === undefined ? [] : [{ place: 'body' as const, text: body, reason: 'r', option: 'body' }]),
    ],
    attempts: [attempt],
    records: values ? [{ id: 1, before: values, row: values, sent: values, after: values } as never] : [],
    ...(query && { query: query as never }),
    ...(error && { error }),
  } as RecordedOperation;
}

function recordingOf(operation: RecordedOperation): Recording {
  const operations = [mask.operation(operation)];
  return {
    format: 'repose-recording',
    version: 1,
    recordedAt: '2026-01-01',
    secrets: ['iban'],
    operations,
    forgotten: 0,
  };
}

/** The forms in which a text may still be read. */
const formsOf = (text: string) => [text, encode(text), encode(encode(text)), encode(text).replaceAll('%20', '+')];

describe('a secret that was planted', () => {
  test('appears in no export, no command and no test', () => {
    fc.assert(
      fc.property(places, (planted: Planted) => {
        const operation = operationOf(planted);
        const recording = recordingOf(operation);
        const all = [JSON.stringify(recording), toCurl(operation, { secrets: ['iban'] }), toTest(recording)].join('\n');
        for (const form of formsOf(planted.secret)) expect(all).not.toContain(form);
      }),
      { numRuns: 3000 },
    );
  });

  test('appears in no body that was cut, wherever that was', () => {
    const bodies = places.filter((planted: Planted) => planted.body !== undefined && !planted.message);
    fc.assert(
      fc.property(bodies, fc.nat(300), ({ secret, body = '' }: Planted, at) => {
        const text = body.slice(0, at);
        const attempts = mask.operation(operationOf({ secret, body: text })).attempts;
        expect(attempts[0]?.body?.text).not.toContain(secret.slice(0, 8));
      }),
      { numRuns: 3000 },
    );
  });

  test('in what an application sends and gets appears in no export, no command and no test', async () => {
    const parts = fc.record({
      secret: words,
      parameter: parameterNames.filter((name) => /^[\w-]+$/.test(name)),
      member: memberNames.filter((name) => name !== 'cookie'),
      header: headerNames.filter((name) => !/cookie/.test(name)),
      place: fc.constantFrom(
        'parameter',
        'request header',
        'member',
        'response header',
        'link',
        'message',
        'text',
        'edit',
      ),
      status: fc.constantFrom(200, 422, 500),
    });
    await fc.assert(
      fc.asyncProperty(parts, async ({ secret, parameter, member, header, place, status }) => {
        const link = `https://api.test/notes?${parameter}=${secret}&page=2`;
        const body = {
          ...{ id: 1, note: place === 'text' ? `See ${link}, or Bearer ${secret}` : 'tea' },
          ...(place === 'member' && { [member]: secret }),
          ...(status !== 200 && { message: place === 'message' ? `Wrong ${member}=${secret}` : 'no' }),
        };
        const headers = {
          ...(place === 'response header' && { [header]: secret }),
          ...(place === 'link' && { Link: `<${link}>; rel="next"`, Location: link }),
        };
        const fetch = async () => Response.json(body, { status, headers });
        class Note extends Model.define({
          name: 'note',
          fields: { id: 'int', note: 'string', password: 'string' },
          proxy: { type: RestProxy, url: 'https://api.test/notes', fetch },
        }) {}
        const recorder = record(Note, { secrets: ['iban'] });
        const params = place === 'parameter' ? { [parameter]: secret } : {};
        await Note.load(1, { params, headers: place === 'request header' ? { [header]: secret } : {} }).catch(
          () => undefined,
        );
        if (place === 'edit') await new Note({ note: 'tea', password: secret }).save().catch(() => undefined);
        const { operations } = recorder;
        const recording = recorder.recording();
        recorder.dispose();
        const all = [JSON.stringify(recording), ...operations.map((each) => toCurl(each)), toTest(recording)].join(
          '\n',
        );
        expect(JSON.stringify(operations).includes(secret)).toBe(place !== 'message' || status !== 200);
        expect(all).not.toContain(secret);
      }),
      { numRuns: 300 },
    );
  });

  test('is masked once and for all: masking again changes nothing', () => {
    fc.assert(
      fc.property(places, (planted: Planted) => {
        const once = mask.operation(operationOf(planted));
        expect(mask.operation(once)).toEqual(once);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('texts without secrets', () => {
  const harmless = fc.oneof(
    // Letters of which no name of a secret, and no address with a user, can be made.
    fc
      .jsonValue({ stringUnit: fc.constantFrom(...'aeioulmnrLMNR 019.,:;"\\{}[]()<>-_é日\n') })
      .map((value) => JSON.stringify(value)),
    fc.lorem(),
    // Hosts that begin as keys of services do, and members in a path, come up by chance as well.
    fc.webUrl().filter((url) => !/\/\/(?:sk|pk|rk|gh\w|glpat|xox\w)[-_]|[=@&;]|:(?!\/\/)/i.test(url)),
    fc.constantFrom(
      '{"id":9007199254740993,"n":1e400}',
      'Basic plan',
      'a: b',
      'tea & milk',
      '<p>token</p>',
      'mail ada@api.test',
      '12:30 // noon',
    ),
  );

  test('stay as they are', () => {
    fc.assert(
      fc.property(harmless, (text) => {
        expect(mask.text(text)).toBe(text);
      }),
    );
  });

  test('keep every digit of their numbers beside a secret', () => {
    expect(mask.text('{"id":9007199254740993,"pin":1234, "n":1.50}')).toBe(
      '{"id":9007199254740993,"pin":"***", "n":1.50}',
    );
  });
});

/** Milliseconds of processor time of this process: other processes on a busy machine do not add to them. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

describe('hostile texts', () => {
  test('with many and long secrets are masked', () => {
    for (const [count, length] of [
      [5000, 8],
      [190, 1000],
      [600, 300],
      [1, 190_000],
    ] as const) {
      const values = Array.from({ length: count }, (_, at) => `${at}x`.padEnd(length, '(a+)+$['));
      const body = JSON.stringify(values.map((password) => ({ password })));
      const start = processorTime();
      const masked = mask.operation(operationOf({ secret: '', body, message: values.join(' ') }));
      expect(masked.attempts[0]?.body?.text).toBe(JSON.stringify(values.map(() => ({ password: '***' }))));
      expect(processorTime() - start).toBeLessThan(5000);
    }
  });

  test('cost little in a long list of rows: names and texts that repeat are looked at once', () => {
    const rows = Array.from({ length: 700 }, (_, at) => ({
      ...{
        id: at,
        name: `Customer ${at}`,
        email: `c${at}@example.test`,
        note: 'Wants: a call-back by Friday',
        pin: 1234,
      },
      ...{
        created: '2026-01-02T03:04:05Z',
        url: `https://example.test/c/${at}?page=1`,
        tags: ['a-b', 'c_d'],
        total: 7.5,
      },
    }));
    const operation = operationOf({ secret: '', body: JSON.stringify(rows), values: rows[0] as object });
    const bestOf = (act: () => unknown) => {
      const times = Array.from({ length: 7 }, () => {
        const start = processorTime();
        act();
        return processorTime() - start;
      });
      return Math.min(...times);
    };
    // Compared with the parsing of the same text, so that the test holds on any machine.
    const parsing = bestOf(() => JSON.parse(JSON.stringify(rows)));
    expect(bestOf(() => mask.operation(operation)) / parsing).toBeLessThan(50);
  });

  const long = 200_000;
  test.each([
    ...[
      '\\"',
      '"',
      '{',
      '[',
      '{"a":',
      '<a ',
      '<password>',
      '//',
      '@',
      '?a',
      '#',
      'a=',
      'password=',
      'eyJ-',
      ';a=',
      '&',
      '%',
      'A',
      'a:',
      "'",
      'bearer ',
    ],
    ...[
      'https://',
      'https://a:b',
      '-----BEGIN PRIVATE KEY-----',
      'sk-',
      '=',
      '"password":[',
      '{"inner":"',
      'name="password" ',
      '%25',
    ],
  ])('are masked in a time that grows with their length only: %j', (part) => {
    const text = part.repeat(Math.ceil(long / part.length));
    const start = processorTime();
    mask.text(text);
    mask.address(`https://api.test/x?a=${text}`);
    mask.isSecret(text);
    expect(processorTime() - start).toBeLessThan(4000);
  });
});
