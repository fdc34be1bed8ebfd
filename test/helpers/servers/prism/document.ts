import { USERS } from '../seed.js';

const [, user] = USERS;

/** The content of a request or answer. Answers show the first page of users, or user 2. */
const json = (schema: object, example?: unknown) => ({ 'application/json': { schema, example } });
const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const query = (name: string, type: object) => ({ name, in: 'query', schema: type });
const body = { required: true, content: json(schema('User')) };
const answer = (description: string) => ({ description, content: json(schema('SavedUser'), user) });

const whole = { type: 'integer', minimum: 0 };
const properties = {
  name: { type: 'string', minLength: 1 },
  email: { type: 'string', pattern: '^\\S+@\\S+$' },
  age: { type: 'integer', nullable: true },
  team: { type: 'integer' },
};
const required = ['name', 'email', 'team'];

/** The document of an API with users, whose parameters and bodies are strict. */
export const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Users', version: '1.0.0' },
  paths: {
    '/users': {
      get: {
        parameters: [
          query('offset', whole),
          query('size', { type: 'integer', minimum: 1, maximum: 25 }),
          query('order', { type: 'string', pattern: '^(name|team) (up|down)(,(name|team) (up|down))*$' }),
          query('team', { type: 'integer' }),
          query('minimum_age', { type: 'integer' }),
        ],
        responses: {
          200: {
            description: 'A page of users',
            headers: { 'X-Total-Count': { schema: whole, example: USERS.length } },
            content: json({ type: 'array', items: schema('SavedUser') }, USERS.slice(0, 25)),
          },
        },
      },
      post: { requestBody: body, responses: { 201: answer('The new user') } },
    },
    '/users/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { responses: { 200: answer('A user'), 404: { description: 'No such user' } } },
      put: { requestBody: body, responses: { 200: answer('The changed user') } },
      delete: { responses: { 204: { description: 'The user is gone' } } },
    },
  },
  components: {
    schemas: {
      User: { type: 'object', properties, required, additionalProperties: false },
      SavedUser: {
        type: 'object',
        properties: { id: { type: 'integer' }, ...properties },
        required: ['id', ...required],
      },
    },
  },
};
