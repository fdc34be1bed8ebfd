import fc from 'fast-check';
import { embed, Model, plain, RestProxy, readAnyProblem, Store, ValidationError } from 'repose';
import { problemFamily } from 'repose/extend';
import { describe, expect, test } from 'vitest';

class Line extends Model.define({ fields: { qty: { type: 'int', mapping: 'quantity' } } }) {}

/** A model whose names differ from those of the server, with a proxy that gets one response. */
function userModel(status: number, body: unknown, reader = {}) {
  const fetch = async () => Response.json(body, { status });
  return class User extends Model.define({
    name: 'user',
    fields: {
      id: 'int',
      mail: { type: 'string', mapping: 'email' },
      city: { type: 'string', mapping: 'address.city' },
      lines: embed([Line], { mapping: 'details' }),
    },
    proxy: { type: 'rest', baseUrl: 'http://a.test', url: '/users', dialect: plain({ reader }), fetch },
  }) {};
}

/** The error of a refused update. */
async function refusal(status: number, body: unknown, reader = {}) {
  const user = userModel(status, body, reader).fromRow({ id: 1, email: 'a', address: { city: 'x' } });
  user.mail = 'b';
  const error: unknown = await user.save().catch((reason) => reason);
  return { error: error as ValidationError, shown: user.$.errors };
}

const linesOf = ({ issues }: Pick<ValidationError, 'issues'>) =>
  issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

type Case = readonly [family: string, body: unknown, issues: string[], said?: string];

const TAKEN = 'is taken';
const CASES: Case[] = [
  [
    'WordPress',
    {
      code: 'rest_invalid_param',
      message: 'Invalid parameter(s): email',
      data: { status: 400, params: { email: TAKEN }, details: { email: { code: 'x', message: TAKEN, data: null } } },
    },
    ['mail: is taken'],
    'Invalid parameter(s): email',
  ],
  [
    'WordPress, missing parameters',
    {
      code: 'rest_missing_callback_param',
      message: 'Missing parameter(s): email',
      data: { status: 400, params: ['email'] },
    },
    ['mail: Missing parameter(s): email'],
  ],
  ['Tastypie', { users: { email: [TAKEN], 'address.city': ['is far'] } }, ['mail: is taken', 'city: is far']],
  [
    'Payload',
    {
      errors: [
        {
          name: 'ValidationError',
          message: 'The following field is invalid: email',
          data: {
            collection: 'users',
            errors: [
              { path: 'email', message: TAKEN },
              { path: 'details.1.quantity', message: 'is high' },
            ],
          },
        },
      ],
    },
    ['mail: is taken', 'lines.1.qty: is high'],
    'The following field is invalid: email',
  ],
  [
    'Payload 2',
    { errors: [{ name: 'ValidationError', message: 'Invalid: email', data: [{ field: 'email', message: TAKEN }] }] },
    ['mail: is taken'],
    'Invalid: email',
  ],
  [
    'FHIR',
    {
      resourceType: 'OperationOutcome',
      issue: [
        { severity: 'error', code: 'duplicate', diagnostics: TAKEN, expression: ['User.email'] },
        { severity: 'error', code: 'value', details: { text: 'is high' }, expression: ['User.details[2].quantity'] },
        { severity: 'error', code: 'value', diagnostics: 'is low', location: ['/f:User/f:details[1]/f:quantity'] },
        { severity: 'warning', code: 'informational', diagnostics: 'is old', expression: ['User.email'] },
      ],
    },
    ['mail: is taken', 'lines.2.qty: is high', 'lines.0.qty: is low'],
  ],
  ['Sails 1', { code: 'E_UNIQUE', problems: [], attrNames: ['email'], message: TAKEN }, ['mail: is taken'], TAKEN],
  [
    'Sails 1, problems',
    {
      code: 'E_MISSING_OR_INVALID_PARAMS',
      problems: ['"email" is required, but it was not defined.'],
      message: 'Invalid',
    },
    ['mail: "email" is required, but it was not defined.'],
    'Invalid',
  ],
  [
    'Sails 0',
    {
      error: 'E_VALIDATION',
      status: 400,
      summary: '1 attribute is invalid',
      invalidAttributes: { email: [{ rule: 'unique', message: TAKEN }] },
    },
    ['mail: is taken'],
    '1 attribute is invalid',
  ],
  [
    'SQLite over REST',
    { message: 'UNIQUE constraint failed: users.email', error: { code: 'SQLITE_CONSTRAINT_UNIQUE' } },
    ['mail: UNIQUE constraint failed: users.email'],
    'UNIQUE constraint failed: users.email',
  ],
  [
    'SQLite, two columns',
    { message: 'UNIQUE constraint failed: users.email, users.name' },
    [
      'mail: UNIQUE constraint failed: users.email, users.name',
      'name: UNIQUE constraint failed: users.email, users.name',
    ],
  ],
  [
    'Mailman',
    { title: '400 Bad Request', description: `Invalid Parameter "email": ${TAKEN}.` },
    ['mail: is taken.'],
    'Invalid Parameter "email": is taken.',
  ],
  [
    'Mailman, a missing parameter',
    { title: '400 Bad Request', description: 'Missing Parameter: email' },
    ['mail: Missing Parameter: email'],
  ],
  ['error.fields', { error: { message: 'Invalid', fields: { email: TAKEN } } }, ['mail: is taken'], 'Invalid'],
  ['error.fields, lists', { error: { message: 'Invalid', fields: { email: [TAKEN] } } }, ['mail: is taken'], 'Invalid'],
  ['error.fields, names', { error: 'Invalid', fields: ['email'] }, ['mail: Invalid'], 'Invalid'],
  ['RFC 7807', { title: 'Invalid', 'invalid-params': [{ name: 'email', reason: TAKEN }] }, ['mail: is taken']],
  [
    'RFC 7807, with other members',
    { title: 'Invalid', 'invalid-params': [{ name: 'email', reason: TAKEN, path: 'x', message: 'unique' }] },
    ['mail: is taken'],
  ],
  [
    'a list of issues with names of errors',
    { message: 'Invalid', errors: [{ name: 'ValidationError', field: 'email', reason: 'unique', message: TAKEN }] },
    ['mail: is taken'],
    'Invalid',
  ],
  [
    'Laravel, a field named messages',
    { message: 'Invalid', errors: { messages: ['is short'], email: [TAKEN] } },
    ['messages: is short', 'mail: is taken'],
    'Invalid',
  ],
  [
    'Laravel',
    { message: 'The data was invalid.', errors: { email: [TAKEN], 'details.2.quantity': ['is high'] } },
    ['mail: is taken', 'lines.2.qty: is high'],
    'The data was invalid.',
  ],
  ['Rails', { email: [TAKEN], base: ['is closed'] }, ['mail: is taken', ': is closed']],
  [
    'Django REST Framework',
    { email: [TAKEN], details: [{}, { quantity: ['is low'] }] },
    ['mail: is taken', 'lines.1.qty: is low'],
  ],
  [
    'ASP.NET',
    {
      type: 'https://h.test/e',
      title: 'One or more validation errors occurred.',
      status: 400,
      errors: { Email: [TAKEN], '$.details[2].quantity': ['is high'] },
    },
    ['mail: is taken', 'lines.2.qty: is high'],
  ],
  [
    'JSON:API',
    { errors: [{ detail: TAKEN, source: { pointer: '/data/attributes/email' } }] },
    ['mail: is taken'],
    TAKEN,
  ],
  [
    'GraphQL',
    {
      data: null,
      errors: [
        {
          message: 'Validation failed',
          path: ['updateUser'],
          locations: [{ line: 1, column: 2 }],
          extensions: { code: 'BAD_USER_INPUT', validation: { 'input.email': [TAKEN] } },
        },
      ],
    },
    ['mail: is taken'],
    'Validation failed',
  ],
  [
    'GraphQL, one field',
    {
      errors: [
        { message: TAKEN, path: ['updateUser'], locations: [], extensions: { code: 'X', argumentName: 'email' } },
      ],
    },
    ['mail: is taken'],
    TAKEN,
  ],
  [
    'Feathers',
    { name: 'BadRequest', message: 'Invalid', code: 400, data: { email: 7 }, errors: { email: TAKEN } },
    ['mail: is taken'],
    'Invalid',
  ],
  [
    'Strapi',
    {
      data: null,
      error: {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid',
        details: { errors: [{ path: ['details', '2', 'quantity'], message: 'is high' }] },
      },
    },
    ['lines.2.qty: is high'],
    'Invalid',
  ],
  [
    'Directus',
    { errors: [{ message: TAKEN, extensions: { code: 'RECORD_NOT_UNIQUE', field: 'email' } }] },
    ['mail: is taken'],
    TAKEN,
  ],
  [
    'PocketBase',
    { status: 400, message: 'Failed.', data: { email: { code: 'x', message: TAKEN } } },
    ['mail: is taken'],
    'Failed.',
  ],
  [
    'Spring',
    { status: 400, error: 'Bad Request', errors: [{ field: 'details[2].quantity', defaultMessage: 'is high' }] },
    ['lines.2.qty: is high'],
  ],
  [
    'LoopBack 3',
    {
      error: {
        statusCode: 422,
        name: 'ValidationError',
        message: 'Invalid',
        details: { codes: { email: ['x'] }, messages: { email: [TAKEN] } },
      },
    },
    ['mail: is taken'],
    'Invalid',
  ],
  [
    'LoopBack 4',
    { error: { statusCode: 422, message: 'Invalid', details: [{ path: '/email', code: 'type', message: TAKEN }] } },
    ['mail: is taken'],
    'Invalid',
  ],
  [
    'zod',
    { error: { name: 'ZodError', issues: [{ code: 'x', path: ['details', 2, 'quantity'], message: 'is high' }] } },
    ['lines.2.qty: is high'],
  ],
  [
    'ajv',
    { message: 'Invalid', errors: [{ instancePath: '/details/2/quantity', keyword: 'maximum', message: 'is high' }] },
    ['lines.2.qty: is high'],
    'Invalid',
  ],
  [
    'tsoa',
    { message: 'Validation Failed', details: { 'requestBody.email': { message: TAKEN, value: 7 } } },
    ['mail: is taken'],
    'Validation Failed',
  ],
];

describe('errors by field', () => {
  describe.each([400, 409, 422])('%i', (status) => {
    test.each(CASES.map(([family, body, issues, said]) => ({ family, body, issues, said })))(
      '$family',
      async ({ body, issues, said }) => {
        const { error, shown } = await refusal(status, body, { problem: readAnyProblem });
        expect(error).toBeInstanceOf(ValidationError);
        expect(error.status).toBe(status);
        expect(linesOf(error)).toEqual(expect.arrayContaining(issues));
        if (said !== undefined) expect(error.problem?.detail).toBe(said);
        for (const name of new Set(issues.map((line) => line.split(/[.:]/)[0] as string)))
          if (['mail', 'city', 'lines'].includes(name)) expect(Object.keys(shown)).toContain(name);
      },
    );
  });

  test('a field of its own is meant where the first name may be that of the resource', async () => {
    const { error } = await refusal(422, { address: { city: ['is far'] } });
    expect(linesOf(error)).toEqual(['city: is far']);
    const unknown = await refusal(422, { place: { town: ['is far'] } });
    expect(linesOf(unknown.error)).toEqual(['place.town: is far']);
  });

  test('bodies that resemble a family are not misread', () => {
    const bodies: unknown[] = [
      { code: 'x', message: 'no', data: { params: null } },
      { message: 'no', code: 'E_X', attrNames: 7 },
      { message: 'no', current: { id: 1, tags: ['a', 'b'] } },
      { message: 'no', meta: { tags: ['a'] }, stack: ['at x.js:1'] },
      { description: 'no parameter "email" is needed', message: 'no' },
      { message: 'no', errors: [{ data: 'x'.repeat(100) }] },
    ];
    for (const body of bodies)
      expect([readAnyProblem(body, 400).detail, linesOf(readAnyProblem(body, 400))]).toEqual(['no', []]);
  });
});

describe('reader: { problem }', () => {
  const body = { fault: { text: 'Not saved', marks: [{ cell: 'email', note: TAKEN, sort: 'u1' }] } };

  test('takes a family, or several, before the built-in ones', async () => {
    const problem = problemFamily({
      issues: 'fault.marks',
      field: 'cell',
      text: 'note',
      code: 'sort',
      message: 'fault.text',
    });
    for (const reader of [{ problem }, { problem: [() => undefined, problem] }]) {
      const { error, shown } = await refusal(400, body, reader);
      expect(error.issues).toEqual([{ path: ['mail'], message: TAKEN, code: 'u1' }]);
      expect(error.problem?.detail).toBe('Not saved');
      expect(Object.keys(shown)).toEqual(['mail']);
    }
  });

  test('leaves bodies of another form to the built-in readers', async () => {
    const problem = problemFamily({ issues: 'errors', when: { kind: 'own' }, field: 'cell' });
    const { error } = await refusal(400, { errors: { email: TAKEN } }, { problem });
    expect(linesOf(error)).toEqual(['mail: is taken']);
    const own = await refusal(400, { kind: 'own', errors: [{ cell: 'email', message: TAKEN }] }, { problem });
    expect(linesOf(own.error)).toEqual(['mail: is taken']);
  });

  test('reads the entries of bulk writes', async () => {
    const problem = problemFamily({ issues: 'marks', field: 'cell', text: 'note' });
    const entries = [1, 2].map(() => ({ status: 422, error: { marks: [{ cell: 'email', note: TAKEN }] } }));
    const fetch = async () => Response.json(entries, { status: 207 });
    const proxy = {
      type: 'rest',
      baseUrl: 'http://a.test',
      url: '/u',
      dialect: plain({ reader: { problem } }),
      fetch,
    } as const;
    const User = userModel(200, {}).with({ proxy: { ...proxy, batchActions: true } });
    const users = new Store({ model: User });
    users.add({ mail: 'a' }, { mail: 'b' });
    const batch = await users.sync();
    expect(batch.failures.map(({ error }) => linesOf(error as ValidationError))).toEqual([
      ['mail: is taken'],
      ['mail: is taken'],
    ]);
  });

  test('refuses wrong options', () => {
    expect(() => problemFamily({ issues: '' })).toThrow('problemFamily.issues');
    expect(() => problemFamily({} as never)).toThrow('problemFamily.issues');
    expect(() => problemFamily({ issues: 'a', fields: 'b' } as never)).toThrow('fields');
    expect(() => problemFamily({ issues: "a['b" })).toThrow('problemFamily.issues');
    expect(() => userModel(400, {}, { problem: 'errors' }).proxy.reader).toThrow('problem');
    expect(() => new RestProxy({ url: '/users', readProblem: () => undefined } as never)).toThrow(
      /reader: \{ problem \}/,
    );
  });
});

describe('hostile answers', () => {
  const long = 'x'.repeat(3_000_000);
  const sizeOf = (value: unknown) => JSON.stringify(value).length;

  test.each<[string, number, unknown]>([
    ['a message', 500, { message: long }],
    ['a code and a title', 409, { code: long, title: long, type: long, detail: long }],
    ['a field error', 422, { errors: { email: [long] } }],
    ['the name of a field', 422, { errors: { [long]: [long] } }],
    ['many names', 422, { errors: [{ path: Array.from({ length: 100_000 }, () => 'x'), message: 'no' }] }],
    [
      'text where objects are expected',
      422,
      { errors: [{ extensions: long, source: long, params: long, info: long }] },
    ],
    ['a text of Mailman', 400, { description: 'Invalid Parameter "'.repeat(100_000) }],
    ['a text of SQLite', 400, { message: `UNIQUE constraint failed: ${'a.b, '.repeat(100_000)}` }],
    [
      'an expression of FHIR',
      400,
      { resourceType: 'OperationOutcome', issue: [{ diagnostics: long, expression: [long] }] },
    ],
    ['a text of NestJS', 400, { message: [`${'a'.repeat(1_000_000)} must`, `${'a.'.repeat(500_000)}`] }],
    ['plain text', 500, long],
  ])('%s: message and JSON form stay short, the body is whole', async (_what, status, body) => {
    const { error } = await refusal(status, body);
    expect(error.message.length).toBeLessThan(1000);
    expect(sizeOf(error)).toBeLessThan(100_000);
    const { response } = error.operation ?? {};
    expect(sizeOf(response?.body)).toBe(sizeOf(body));
  });

  test('an error keeps 100 of 50,000 issues, and counts the others', async () => {
    const errors = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, ['is wrong']]));
    const { error } = await refusal(422, { errors });
    expect([error.issues.length, error.problem?.issues.length, error.problem?.omitted]).toEqual([100, 100, 49_900]);
    expect(error.message.length).toBeLessThan(500);
    expect(sizeOf(error)).toBeLessThan(20_000);
  });

  test('HTML and text of any length are read once', async () => {
    for (const text of ['<title>'.repeat(300_000), `${' '.repeat(2_000_000)}x`, `<${' '.repeat(2_000_000)}`]) {
      const fetch = async () => new Response(text, { status: 500, headers: { 'Content-Type': 'text/html' } });
      class User extends Model.define({
        fields: { id: 'int' },
        proxy: { type: 'rest', baseUrl: 'http://a.test', url: '/users', dialect: plain(), fetch },
      }) {}
      const error = await User.load(1).catch((reason) => reason);
      expect(error.message.length).toBeLessThan(1000);
      expect(error.body).toBe(text);
    }
  });

  test('a success that cannot be read quotes as little', async () => {
    const { error } = await refusal(200, { success: false, message: long });
    expect(error.message.length).toBeLessThan(1000);
    const User = userModel(200, { [long]: 1, other: [{ id: 1 }] });
    const loaded = await new Store({ model: User }).load().catch((reason: unknown) => reason);
    expect((loaded as Error).message.length).toBeLessThan(1000);
    expect(sizeOf(loaded)).toBeLessThan(2000);
  });

  test('a text is not cut within a character', async () => {
    const { error } = await refusal(422, { errors: { email: [`${'x'.repeat(298)}😀😀`] } });
    expect(error.issues[0]?.message).toBe(`${'x'.repeat(298)}…`);
  });
});

describe('random bodies', () => {
  const NAMES = [
    ...['errors', 'error', 'details', 'detail', 'message', 'field', 'path', 'code', 'data', 'source', 'params'],
    ...['issue', 'issues', 'resourceType', 'expression', 'attrNames', 'problems', 'invalidAttributes', 'description'],
    ...['extensions', 'locations', 'validation', 'fields', 'invalid-params', 'fieldErrors', 'status', 'title', 'email'],
    ...['__proto__', 'constructor', 'prototype', 'toString', 'messages', 'target', 'ModelState', '', 'a.b[0]'],
  ];
  const TEXTS = [
    '',
    'OperationOutcome',
    'E_X',
    'fail',
    'Invalid Parameter "a": b',
    'UNIQUE constraint failed: a.b',
    'a must b',
    '/a/0',
    '$.a',
  ];
  const { body } = fc.letrec((tie) => ({
    body: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom<unknown>(null, 7, true, ...TEXTS),
      fc.string(),
      fc.array(tie('body'), { maxLength: 4 }),
      fc.array(fc.tuple(fc.constantFrom(...NAMES), tie('body')), { maxLength: 5 }).map((entries) =>
        // As a parsed body, which may have a member `__proto__`.
        JSON.parse(`{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`),
      ),
    ),
  }));

  const hasTexts = (value: unknown) =>
    Object.values(Object(value)).some((each) => typeof each === 'string' || typeof each === 'number');

  test('give a problem of the right form, change no prototype, and lose no message', () => {
    const before = Object.getOwnPropertyNames(Object.prototype).join();
    fc.assert(
      fc.property(body, fc.constantFrom(400, 409, 422, 500), fc.boolean(), (given, status, says) => {
        const members =
          says && typeof given === 'object' && !Array.isArray(given) ? (given as Record<string, unknown>) : undefined;
        // A text in `error` is the sentence then.
        const text = members && !hasTexts(members['error']) ? 'the sentence' : undefined;
        const sent: unknown = text === undefined ? given : { ...members, detail: undefined, message: text };
        const problem = readAnyProblem(JSON.parse(JSON.stringify(sent) ?? 'null'), status);
        expect(problem.status).toBe(status);
        for (const { path, message } of problem.issues) {
          expect(typeof message).toBe('string');
          expect(path.every((each) => typeof each === 'string' || typeof each === 'number')).toBe(true);
        }
        for (const each of [problem.title, problem.detail, problem.code, problem.type])
          expect(['string', 'undefined']).toContain(typeof each);
        if (text !== undefined)
          expect([problem.detail, problem.title, ...problem.issues.map(({ message }) => message)]).toContain(text);
        expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
      }),
      { numRuns: 3000 },
    );
  });
});
