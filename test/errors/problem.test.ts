import fc from 'fast-check';
import { Model, Operation, type ProblemReader, RestProxy, type RestProxyConfig, readAnyProblem, Store } from 'repose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../src/errors/problem.js';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';

/** `path message [code]` of every issue. */
const lines = ({ issues }: Problem) =>
  issues.map(({ path, message, code }) => `${path.join('.')}: ${message}${code === undefined ? '' : ` [${code}]`}`);

type Case = readonly [
  family: string,
  status: number,
  body: unknown,
  told: Omit<Partial<Problem>, 'issues'>,
  issues?: string[],
];

// Answers of servers of each family, or from their documentation.
const cases: Case[] = [
  [
    'problem+json',
    404,
    {
      type: 'https://h.test/errors#NO_PATH',
      title: 'Route not resolved',
      status: 404,
      detail: 'The route /x is not there',
    },
    { type: 'https://h.test/errors#NO_PATH', title: 'Route not resolved', detail: 'The route /x is not there' },
  ],
  [
    'problem+json with errors by pointer',
    422,
    {
      title: 'Invalid',
      errors: [
        { detail: 'must be positive', pointer: '#/age' },
        { detail: 'is bad', pointer: '#/a/0/b' },
      ],
    },
    { title: 'Invalid', detail: 'must be positive' },
    ['age: must be positive', 'a.0.b: is bad'],
  ],
  [
    'problem+json of ASP.NET',
    400,
    {
      title: 'One or more errors.',
      status: 400,
      errors: { Name: ['is required.'], 'Address.City': ['too long', 'bad'] },
    },
    { title: 'One or more errors.' },
    ['Name: is required.', 'Address.City: too long', 'Address.City: bad'],
  ],
  [
    'Prism',
    422,
    {
      title: 'Invalid request',
      detail: 'Your request is not valid',
      validation: [
        { location: ['body', 'product'], severity: 'Error', code: 'required', message: "must have 'name'" },
        { location: ['body', 'product', 'price'], severity: 'Error', code: 'type', message: 'must be number' },
      ],
    },
    { title: 'Invalid request', detail: 'Your request is not valid' },
    ["product: must have 'name' [required]", 'product.price: must be number [type]'],
  ],
  [
    'Rails',
    422,
    { name: ["can't be blank"], email: ['has already been taken'] },
    {},
    ["name: can't be blank", 'email: has already been taken'],
  ],
  [
    'Rails, under errors',
    422,
    { errors: { name: ["can't be blank"], base: ['is closed'] } },
    {},
    ["name: can't be blank", ': is closed'],
  ],
  [
    'Rails, full messages',
    422,
    { errors: ['Subject cannot be blank'] },
    { detail: 'Subject cannot be blank' },
    [': Subject cannot be blank'],
  ],
  ['Redmine, stale', 422, { errors: [] }, {}],
  ['Rails, other', 409, { status: 409, error: 'Conflict' }, { detail: 'Conflict' }],
  ['Django', 404, { detail: 'Not found.' }, { detail: 'Not found.' }],
  [
    'Django, fields',
    400,
    { name: ['This field may not be blank.'], team: ['Invalid pk "99" - object does not exist.'] },
    {},
    ['name: This field may not be blank.', 'team: Invalid pk "99" - object does not exist.'],
  ],
  ['Django, whole', 400, { non_field_errors: ['Expected a dictionary.'] }, {}, [': Expected a dictionary.']],
  [
    'Django, nested',
    400,
    { items: [{}, { price: ['A valid number is required.'] }], address: [{ city: ['too long'] }] },
    {},
    ['items.1.price: A valid number is required.', 'address.0.city: too long'],
  ],
  // A body like that of Tastypie: the field tells whether the first name is that of the resource.
  [
    'Django, object within',
    400,
    { address: { city: ['too long'] } },
    { wrapper: 'address' },
    ['address.city: too long'],
  ],
  ['Django, many', 400, [{}, { name: ['This field is required.'] }], {}, ['name: This field is required.']],
  [
    'Laravel',
    422,
    { message: 'The given data was invalid.', errors: { 'users.0.email': ['is taken'], name: ['is required'] } },
    { detail: 'The given data was invalid.' },
    ['users.0.email: is taken', 'name: is required'],
  ],
  [
    'JSON:API',
    422,
    {
      errors: [
        {
          id: 'f1',
          status: '422',
          code: 'BLANK',
          title: 'Invalid',
          detail: 'is blank',
          source: { pointer: '/data/attributes/name' },
        },
        { status: '422', title: 'is unknown', source: { pointer: '/data/relationships/team' } },
        { status: '400', detail: 'no such page', source: { parameter: 'page[number]' } },
      ],
    },
    { title: 'Invalid', detail: 'is blank' },
    ['name: is blank [BLANK]', 'team: is unknown', 'page.number: no such page'],
  ],
  [
    'JSON:API, of nobody',
    404,
    {
      errors: [{ id: '9f', status: '404', code: 'ENOTFOUND', title: 'Resource not found', detail: 'There is no such' }],
    },
    { title: 'Resource not found', detail: 'There is no such' },
    [': There is no such [ENOTFOUND]'],
  ],
  [
    'JSON:API, details as a list',
    403,
    {
      errors: [
        {
          status: '403',
          title: 'Param validation failed',
          detail: [{ message: '"email" is bad', path: ['email'], type: 'string.email' }],
        },
      ],
    },
    { title: 'Param validation failed' },
    ['email: "email" is bad'],
  ],
  [
    'JSON:API, an empty detail',
    401,
    { errors: [{ status: '401', title: 'Authentication Failed', detail: {} }] },
    { title: 'Authentication Failed' },
    [': Authentication Failed'],
  ],
  [
    'OData',
    400,
    {
      error: {
        message: 'Multiple errors occurred.',
        code: 'MULTIPLE_ERRORS',
        details: [
          {
            code: 'ASSERT_MANDATORY',
            message: 'Provide the missing value.',
            target: 'name',
            '@Common.numericSeverity': 4,
          },
          { code: 'ASSERT_RANGE', message: 'Enter a value.', target: 'address/zip' },
        ],
      },
    },
    { code: 'MULTIPLE_ERRORS', detail: 'Multiple errors occurred.' },
    ['name: Provide the missing value. [ASSERT_MANDATORY]', 'address.zip: Enter a value. [ASSERT_RANGE]'],
  ],
  [
    'OData, one',
    400,
    { error: { message: 'Value is required', target: 'name', code: '400' } },
    { code: '400', detail: 'Value is required' },
    ['name: Value is required'],
  ],
  [
    'OData, none',
    412,
    { error: { code: '412', message: 'Precondition Failed' } },
    { code: '412', detail: 'Precondition Failed' },
  ],
  [
    'Microsoft',
    400,
    { error: { code: 'Bad', message: 'no', details: [], innererror: { code: 'x' } } },
    { code: 'Bad', detail: 'no' },
  ],
  [
    'Strapi',
    400,
    {
      data: null,
      error: {
        status: 400,
        name: 'ValidationError',
        message: '2 errors occurred',
        details: {
          errors: [
            { path: ['name'], message: 'name must be defined.', name: 'ValidationError' },
            { path: ['parts', '0', 'age'], message: 'too old', name: 'ValidationError', value: 999 },
          ],
        },
      },
    },
    { title: 'ValidationError', detail: '2 errors occurred' },
    ['name: name must be defined.', 'parts.0.age: too old'],
  ],
  [
    'Strapi, none',
    404,
    { data: null, error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} } },
    { title: 'NotFoundError', detail: 'Not Found' },
  ],
  [
    'LoopBack 4',
    422,
    {
      error: {
        statusCode: 422,
        name: 'UnprocessableEntityError',
        message: 'The request body is invalid.',
        code: 'VALIDATION_FAILED',
        details: [{ path: '/name', code: 'type', message: 'must be string', info: { type: 'string' } }],
      },
    },
    { title: 'UnprocessableEntityError', detail: 'The request body is invalid.', code: 'VALIDATION_FAILED' },
    ['name: must be string [type]'],
  ],
  [
    'LoopBack 3',
    422,
    {
      error: {
        statusCode: 422,
        name: 'ValidationError',
        message: 'The model is not valid.',
        details: { context: 'User', codes: { name: ['presence'] }, messages: { name: ["can't be blank"] } },
      },
    },
    { title: 'ValidationError', detail: 'The model is not valid.' },
    ["name: can't be blank"],
  ],
  [
    'NestJS',
    404,
    { message: 'User not found', error: 'Not Found', statusCode: 404 },
    { title: 'Not Found', detail: 'User not found' },
  ],
  [
    'NestJS, fields',
    400,
    {
      message: ['email must be an email', 'address.zip should not be empty', 'Something else'],
      error: 'Bad Request',
      statusCode: 400,
    },
    { detail: 'Bad Request' },
    ['email: must be an email', 'address.zip: should not be empty', ': Something else'],
  ],
  [
    'Spring',
    500,
    { timestamp: '2024-01-01', status: 500, error: 'Internal Server Error', path: '/people' },
    { detail: 'Internal Server Error' },
  ],
  [
    'Spring, fields',
    400,
    {
      status: 400,
      error: 'Bad Request',
      message: 'Validation failed',
      errors: [
        {
          codes: ['NotBlank.user.name'],
          arguments: [{ codes: ['user.name'], defaultMessage: 'name' }],
          defaultMessage: 'must not be blank',
          objectName: 'user',
          field: 'name',
          rejectedValue: '',
          code: 'NotBlank',
        },
      ],
    },
    { title: 'Bad Request', detail: 'Validation failed' },
    ['name: must not be blank [NotBlank]'],
  ],
  [
    'Spring Data REST',
    400,
    { errors: [{ entity: 'Person', property: 'name', invalidValue: '', message: 'may not be empty' }] },
    { detail: 'may not be empty' },
    ['name: may not be empty'],
  ],
  [
    'Ext JS',
    400,
    { success: false, message: 'Not saved', errors: { name: 'is required', title: 'too long' } },
    { detail: 'Not saved' },
    ['name: is required', 'title: too long'],
  ],
  ['Ext JS, a list', 400, { success: false, errors: [{ id: 'name', msg: 'is required' }] }, {}, ['name: is required']],
  ['Ext JS, one text', 400, { success: false, msg: 'Not saved' }, { detail: 'Not saved' }],
  [
    'Feathers',
    400,
    {
      name: 'BadRequest',
      message: 'Invalid query',
      code: 400,
      className: 'bad-request',
      data: { $bogus: 'A' },
      errors: {},
    },
    { title: 'BadRequest', detail: 'Invalid query', code: '400' },
  ],
  [
    'Feathers, a schema',
    400,
    {
      name: 'BadRequest',
      message: 'validation failed',
      code: 400,
      data: [{ instancePath: '/age', keyword: 'type', message: 'must be number' }],
    },
    { title: 'BadRequest', detail: 'validation failed', code: '400' },
    ['age: must be number [type]'],
  ],
  [
    'PostgREST',
    409,
    { code: '23505', message: 'duplicate key value', details: 'Key (id)=(1) already exists.', hint: null },
    { code: '23505', detail: 'duplicate key value' },
  ],
  [
    'Google',
    400,
    {
      error: {
        code: 400,
        message: 'Invalid',
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: 'user.age', description: 'too small' }],
          },
        ],
      },
    },
    { code: '400', detail: 'Invalid' },
    ['user.age: too small'],
  ],
  [
    'Directus',
    400,
    { errors: [{ message: 'Value must be unique', extensions: { code: 'RECORD_NOT_UNIQUE', field: 'email' } }] },
    { detail: 'Value must be unique' },
    ['email: Value must be unique [RECORD_NOT_UNIQUE]'],
  ],
  [
    'GitHub',
    422,
    { message: 'Validation Failed', errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }] },
    { detail: 'Validation Failed' },
    ['title: missing_field [missing_field]'],
  ],
  [
    'ABP',
    400,
    {
      error: {
        code: null,
        message: 'Not valid',
        details: 'long text',
        validationErrors: [{ message: 'The name is required', members: ['name'] }],
      },
    },
    { detail: 'Not valid' },
    ['name: The name is required'],
  ],
  [
    'API Platform',
    422,
    {
      title: 'An error occurred',
      detail: 'name: blank',
      violations: [{ propertyPath: 'name', message: 'blank', code: 'c1051' }],
    },
    { title: 'An error occurred', detail: 'name: blank' },
    ['name: blank [c1051]'],
  ],
  [
    'PocketBase',
    400,
    { status: 400, message: 'Failed to create.', data: { name: { code: 'required', message: 'Cannot be blank.' } } },
    { detail: 'Failed to create.' },
    ['name: Cannot be blank. [required]'],
  ],
  [
    'FastAPI',
    422,
    { detail: [{ loc: ['body', 'address', 'zip'], msg: 'field required', type: 'missing' }] },
    {},
    ['address.zip: field required'],
  ],
  [
    'express-validator',
    400,
    { errors: [{ type: 'field', msg: 'Invalid value', path: 'email', location: 'body' }] },
    {},
    ['email: Invalid value'],
  ],
  [
    'Strapi, one refused member',
    400,
    {
      data: null,
      error: {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid key colour',
        details: { key: 'colour', path: 'parts.colour', source: 'body', param: null },
      },
    },
    { title: 'ValidationError', detail: 'Invalid key colour' },
    ['parts.colour: Invalid key colour'],
  ],
  [
    'Strapi, a refused member without an envelope',
    400,
    { message: 'Invalid key colour', details: { key: 'colour', source: 'body' } },
    { detail: 'Invalid key colour' },
    ['colour: Invalid key colour'],
  ],
  [
    'Strapi, a refused parameter',
    400,
    {
      data: null,
      error: {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid key nope',
        details: { key: 'nope', path: 'nope', source: 'query', param: 'sort' },
      },
    },
    { title: 'ValidationError', detail: 'Invalid key nope' },
  ],
  [
    'Joi',
    422,
    {
      _original: { age: -1 },
      details: [
        {
          message: '"age" must be greater than or equal to 0',
          path: ['age'],
          type: 'number.min',
          context: { limit: 0, value: -1, label: 'age', key: 'age' },
        },
        { message: '"parts[1].name" is required', path: ['parts', 1, 'name'], type: 'any.required' },
      ],
    },
    {},
    ['age: "age" must be greater than or equal to 0', 'parts.1.name: "parts[1].name" is required'],
  ],
  [
    'Joi in hapi',
    400,
    {
      statusCode: 400,
      error: 'Bad Request',
      message: '"name" is required',
      validation: { source: 'payload', keys: ['name'] },
    },
    { title: 'Bad Request', detail: '"name" is required' },
    ['name: "name" is required'],
  ],
  [
    'Joi in celebrate',
    400,
    {
      statusCode: 400,
      error: 'Bad Request',
      message: 'Validation failed',
      validation: {
        body: { source: 'body', keys: ['address.zip'], message: '"address.zip" is too long' },
        query: { source: 'query', keys: ['page'], message: '"page" must be a number' },
      },
    },
    { title: 'Bad Request', detail: 'Validation failed' },
    ['address.zip: "address.zip" is too long'],
  ],
  [
    'Zod',
    400,
    {
      success: false,
      error: {
        name: 'ZodError',
        issues: [{ code: 'too_small', minimum: 1, path: ['tags', 0], message: 'Too small' }],
      },
    },
    { title: 'ZodError' },
    ['tags.0: Too small [too_small]'],
  ],
  [
    'Zod, flattened',
    400,
    { formErrors: ['Unrecognized key'], fieldErrors: { name: ['Required'] } },
    {},
    [': Unrecognized key', 'name: Required'],
  ],
  [
    'FluentValidation',
    400,
    [{ propertyName: 'Name', errorMessage: "'Name' must not be empty.", attemptedValue: '', errorCode: 'NotEmpty' }],
    {},
    ["Name: 'Name' must not be empty."],
  ],
  [
    'ModelState of ASP.NET',
    400,
    {
      Message: 'The request is invalid.',
      ModelState: {
        'user.Name': ['The Name field is required.'],
        'user.Address.City': ['Too long.', 'Unknown.'],
        user: ['Not complete.'],
        '': ['Closed.'],
      },
    },
    { detail: 'The request is invalid.' },
    [
      'Name: The Name field is required.',
      'Address.City: Too long.',
      'Address.City: Unknown.',
      'user: Not complete.',
      ': Closed.',
    ],
  ],
  [
    'Linode',
    400,
    { errors: [{ field: 'label', reason: 'Label must be unique' }, { reason: 'Limit reached' }] },
    { detail: 'Label must be unique' },
    ['label: Label must be unique', ': Limit reached'],
  ],
  [
    'JSend, fail',
    400,
    { status: 'fail', data: { title: 'A title is required', author: { name: 'Too long' } } },
    {},
    ['title: A title is required', 'author.name: Too long'],
  ],
  [
    'JSend, error',
    500,
    { status: 'error', message: 'Unable to reach the database', code: 17, data: { host: 'db' } },
    { detail: 'Unable to reach the database', code: '17' },
  ],
  ['errorMessage', 500, { errorMessage: 'No such table', errorType: 'Error' }, { detail: 'No such table' }],
  ['Vapor', 400, { error: true, reason: 'Value was not a number' }, { detail: 'Value was not a number' }],
  [
    'LoopBack 4, a missing member',
    422,
    {
      error: {
        statusCode: 422,
        name: 'UnprocessableEntityError',
        message: 'The request body is invalid.',
        code: 'VALIDATION_FAILED',
        details: [
          {
            path: '',
            code: 'required',
            message: "must have required property 'name'",
            info: { missingProperty: 'name' },
          },
        ],
      },
    },
    { title: 'UnprocessableEntityError', detail: 'The request body is invalid.', code: 'VALIDATION_FAILED' },
    ["name: must have required property 'name' [required]"],
  ],
  [
    'Ajv, a missing member inside another one',
    400,
    {
      errors: [
        { instancePath: '/address', keyword: 'required', params: { missingProperty: 'zip' }, message: 'must have zip' },
        { dataPath: '', path: '/address/zip', params: { missingProperty: 'zip' }, message: 'is absent' },
      ],
    },
    { detail: 'must have zip' },
    ['address.zip: must have zip [required]', 'address.zip: is absent'],
  ],
  ['json-server', 404, { error: 'Not Found' }, { detail: 'Not Found' }],
  [
    'PouchDB',
    409,
    { error: 'conflict', reason: 'Document update conflict.' },
    { title: 'conflict', detail: 'Document update conflict.' },
  ],
  [
    'OAuth',
    401,
    { error: 'invalid_token', error_description: 'The token expired' },
    { title: 'invalid_token', detail: 'The token expired' },
  ],
  ['Parse', 400, { code: 111, error: 'schema mismatch' }, { code: '111', detail: 'schema mismatch' }],
  [
    'Mailman',
    400,
    { title: '400 Bad Request', description: 'Missing Parameter' },
    { title: '400 Bad Request', detail: 'Missing Parameter' },
  ],
  ['PowerDNS', 422, { error: "DNS Name 'x' is not canonical" }, { detail: "DNS Name 'x' is not canonical" }],
  ['plain text', 409, 'Conflict', { title: 'Conflict' }],
  ['long text', 500, `  ${'x'.repeat(500)}`, { title: 'x'.repeat(200) }],
  [
    'HTML with a title',
    404,
    '<!DOCTYPE html><html><head><title> Page not\nfound </title></head></html>',
    { title: 'Page not\nfound' },
  ],
  ['HTML without a title', 500, '\n<h1>Oops</h1>', {}],
  ['an empty text', 500, '   ', {}],
  ['nothing', 500, undefined, {}],
  ['null', 500, null, {}],
  ['a number', 500, 7, {}],
  ['an empty object', 404, {}, {}],
  ['an empty list', 404, [], {}],
  ['a list of texts', 400, ['a is bad', ''], {}, [': a is bad']],
  [
    'fields of any name',
    400,
    JSON.parse('{"errors":{"__proto__":["a"],"constructor":["b"],"message":["c"],"id":["d"]}}'),
    {},
    ['__proto__: a', 'constructor: b', 'message: c', 'id: d'],
  ],
];

describe('readAnyProblem', () => {
  test.each(cases.map(([family, status, body, told, issues = []]) => ({ family, status, body, told, issues })))(
    'reads $family ($status)',
    ({ status, body, told, issues }) => {
      const problem = readAnyProblem(body, status);
      const { issues: _, ...rest } = problem;
      expect(rest).toEqual({ status, ...told });
      expect(lines(problem)).toEqual(issues);
    },
  );

  test('never throws, whatever the body is', () => {
    const name = fc.constantFrom(
      'errors',
      'error',
      'details',
      'detail',
      'message',
      'field',
      'path',
      'code',
      'data',
      'source',
      'a',
      '',
    );
    const { body } = fc.letrec((tie) => ({
      body: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 'text', '', 7, true, 'a must be b'),
        fc.array(tie('body'), { maxLength: 3 }),
        fc.dictionary(name, tie('body'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(body, (given) => {
        const problem = readAnyProblem(given, 400);
        expect(problem.status).toBe(400);
        for (const { path, message } of problem.issues) {
          expect(typeof message).toBe('string');
          expect(path.every((each) => typeof each === 'string' || typeof each === 'number')).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('fields named with the wrapper of the body', () => {
  let server: RestServer;
  beforeAll(async () => {
    server = await startRestServer();
  });
  afterAll(() => server.stop());

  /** The paths of the issues that a refused create or bulk update reports. */
  const pathsOf = async (rootProperty: string, json: unknown) => {
    const fields = {
      id: 'int',
      price: 'number',
      product: 'string',
      maker: { type: 'string', mapping: 'made.by' },
    } as const;
    const proxy = { url: '/products', baseUrl: server.url, noCache: false, writer: { rootProperty } };
    class Product extends Model.define({ fields, proxy }) {}
    server.reply({ status: 422, json });
    const error: unknown = await new Product({ price: -1 }).save().catch((each) => each);
    return (error as { issues: Problem['issues'] }).issues.map(({ path }) => path.join('.'));
  };
  const price = ['must be positive'];

  test('belong to the fields inside the wrapper', async () => {
    expect(await pathsOf('product', { errors: { 'product.price': price, 'product.made.by': price } })).toEqual([
      'price',
      'maker',
    ]);
    expect(await pathsOf('product', { errors: { product: { price } } })).toEqual(['price']);
    expect(await pathsOf('data.row', { errors: [{ pointer: '#/row/price', detail: 'is bad' }] })).toEqual([
      'row.price',
    ]);
    expect(await pathsOf('data.row', { errors: [{ path: 'data.row.made.by', detail: 'is bad' }] })).toEqual(['maker']);
  });

  test('keep fields that the server names without the wrapper', async () => {
    expect(await pathsOf('product', { errors: { price, other: price } })).toEqual(['price', 'other']);
  });

  test('report a problem of the whole body for the wrapper alone, unless a field has its name', async () => {
    expect(await pathsOf('item', { errors: { item: price } })).toEqual(['']);
    expect(await pathsOf('product', { errors: { product: price } })).toEqual(['product']);
    expect(await pathsOf('', { errors: { 'product.price': price } })).toEqual(['product.price']);
  });

  test('belong to the fields in the response to a bulk write as well', async () => {
    const fields = { id: 'int', price: 'number' } as const;
    const proxy = {
      ...{ url: '/products', baseUrl: server.url, noCache: false, batchActions: true },
      writer: { rootProperty: 'product' },
      reader: { statusProperty: 'status' },
    };
    class Product extends Model.define({ fields, proxy }) {}
    const store = new Store({ model: Product, data: [1, 2].map((id) => ({ id, price: 1 })) });
    for (const product of store) product.price = -1;
    const refused = (id: number) => ({ id, status: 422, errors: { 'product.price': price } });
    server.reply({ status: 207, json: [refused(1), refused(2)] });
    const { failures } = await store.sync();
    const paths = failures.map(({ error }) => (error as unknown as { issues: Problem['issues'] }).issues[0]?.path);
    expect(paths).toEqual([['price'], ['price']]);
  });
});

describe('which reader reads', () => {
  let server: RestServer;
  beforeAll(async () => {
    server = await startRestServer();
  });
  afterAll(() => server.stop());

  /** The issues of a Django answer, which only `readAnyProblem` reads. */
  const issuesOf = async (call: (config: RestProxyConfig) => Promise<unknown>) => {
    server.reply({ status: 422, json: { name: ['is taken'] } });
    const error: unknown = await call({ url: '/users', baseUrl: server.url, noCache: false }).catch((each) => each);
    return (error as { issues: Problem['issues'] }).issues.map(({ path }) => path.join('.'));
  };
  const fields = { id: 'int', name: 'string' } as const;
  const read = (proxy: RestProxy) => proxy.read(new Operation({ action: 'read', id: 7 }));

  test('proxies and models of the main entry read all families', async () => {
    const define = (proxy: RestProxyConfig | RestProxy) => class User extends Model.define({ fields, proxy }) {};
    expect(await issuesOf((config) => define(config).load(7))).toEqual(['name']);
    expect(await issuesOf((config) => define(new RestProxy(config)).load(7))).toEqual(['name']);
    expect(await issuesOf((config) => read(define(config).proxy as RestProxy))).toEqual(['name']);
  });

  test('proxies made by hand read what those of models read, or use the given reader', async () => {
    expect(await issuesOf((config) => read(new RestProxy(config)))).toEqual(['name']);
    const any = { problem: readAnyProblem };
    expect(await issuesOf((config) => read(new RestProxy({ ...config, reader: any })))).toEqual(['name']);
    const own: ProblemReader = (_, status) => ({ status, issues: [{ path: ['own'], message: '' }] });
    expect(await issuesOf((config) => read(new RestProxy({ ...config, reader: { problem: own } })))).toEqual(['own']);
  });
});
