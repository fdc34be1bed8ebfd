import { HttpError, type HttpResponse, Model, Session, StateError, Store } from 'repose';
import { messages } from 'repose/messages';
import { describe, expect, test } from 'vitest';
import * as checks from '../../src/dev/checks.js';
import * as productionChecks from '../../src/dev/production/checks.js';
import * as productionTexts from '../../src/dev/production/texts.js';
import * as texts from '../../src/dev/texts.js';

/** Type checks: what replaces a module can be used as that module. Tables of texts are empty, so that their keys differ. */
const replacedChecks: typeof checks = productionChecks;
const replacedTexts: Pick<typeof texts, 'errorText' | 'completeLater'> = productionTexts;

describe('the modules of the production build', () => {
  test('have the names of the modules that they replace', () => {
    expect(Object.keys(replacedChecks).sort()).toEqual(Object.keys(checks).sort());
    expect(Object.keys(productionTexts).sort()).toEqual(Object.keys(texts).sort());
    expect(Object.keys(replacedTexts).length).toBeGreaterThan(2);
  });

  test('refuse nothing, and suggest nothing', () => {
    const rules = { name: { expected: 'a text', holds: () => false } };
    expect(productionChecks.checkOptions('x', { nmae: 1, name: 1 }, rules)).toBeUndefined();
    expect(productionChecks.checkEvent('x', 'chnage', ['change'], 1)).toBeUndefined();
    expect(productionChecks.isMisspelt('PTACH', ['PATCH'])).toBe(false);
    expect(productionChecks.propertyHint('-title', [{ name: 'title' }])).toBe('');
  });
});

describe('the text of an error in a production build', () => {
  const { errorText, completeLater } = productionTexts;

  test('is code, method, address, status, and where to read about it', () => {
    const params = { method: 'GET', url: '/users/7', status: 404, detail: ': gone' };
    expect(errorText('http-not-found', params, undefined, 'http')).toBe(
      'http GET /users/7 404 https://repose.example/e/http-not-found',
    );
    expect(errorText('option-near', { option: 'nmae' }, undefined, 'definition')).toBe(
      'definition https://repose.example/e/option-near',
    );
  });

  test('is that of a table which has its reason', () => {
    const params = { method: 'GET', url: '/users/7', status: 404, detail: ': gone' };
    expect(errorText('http-not-found', params, messages, 'http')).toMatch(/^GET \/users\/7 answered 404: gone\. Check/);
  });

  test('names the code that a subclass sets, also in the stack, and can be replaced', () => {
    const error = {
      code: undefined as string | undefined,
      message: 'busy https://repose.example/e/busy',
      inWords(): { readonly message: string } {
        return Object.assign(error, { message: errorText('busy', {}, undefined, error.code) });
      },
    };
    completeLater(error);
    error.code = 'locked';
    expect(error.message).toBe('locked https://repose.example/e/busy');
    error.message = 'other';
    expect(error.message).toBe('other');
  });
});

/** Also run on the production build. */
describe('in both builds', () => {
  const fetch = () => Promise.reject(new Error('nothing may be sent'));
  class User extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string' },
    proxy: { type: 'rest', url: 'http://h.test/users', fetch },
  }) {}
  const raw = new Response(null, { status: 404 });
  const response = { status: 404, headers: raw.headers, url: '', redirected: false, text: '', raw } as HttpResponse;

  test('an error has class, code, reason, parameters and members', () => {
    const error = new HttpError('http-not-found', { method: 'GET', url: '/users/7', status: 404 }, { response });
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ name: 'HttpError', code: 'http', reason: 'http-not-found', status: 404 });
    expect(error.params).toEqual({ method: 'GET', url: '/users/7', status: 404 });
    expect(error.message).toMatch(/GET \/users\/7/);
    expect(error.stack).toContain(error.message);
    expect(error.toJSON()).toMatchObject({ code: 'http', message: error.message });
    expect(new StateError('busy', 'busy', {}).message).not.toBe('');
  });

  test('queries, ids and values are checked before anything is sent', async () => {
    const store = new Store({ model: User, data: [{ id: 1, name: 'Ada' }] });
    const of = (code: string) => expect.objectContaining({ code });
    expect(() => store.filter({ property: 'nmae' as 'name', value: 'Ada' })).toThrow(of('unsupported-query'));
    expect(() => store.filter({ property: 'name', operator: 'sounds' as 'eq', value: 'Ada' })).toThrow(
      of('unsupported-query'),
    );
    expect(() => store.filter({ property: 'name', value: undefined as never })).toThrow(of('unsupported-query'));
    await expect(User.load({} as never)).rejects.toThrow(of('address'));
    expect(User.fromRow({ id: 1, name: {} }).$.validate()[0]?.message).toBe('must be a text');
    expect(() => User.fromRow({ id: 1 }).set('nmae' as 'name', 'Ada')).toThrow(of('field'));
  });

  test('a record is no values of a new one, which would be empty', () => {
    const user = User.fromRow({ id: 1, name: 'Ada' });
    expect(() => new User(user as object)).toThrow(expect.objectContaining({ code: 'definition' }));
  });

  test('a `sync()` whose `onFailure` does not exist sends nothing, and leaves its records pending', async () => {
    const store = new Store({ model: User, data: [{ id: 1, name: 'Ada' }] });
    (store.getAt(0) as User).name = 'Eva';
    await expect(store.sync({ onFailure: 'rollback' as 'stop' })).rejects.toThrow();
    expect([...store.pending.created, ...store.pending.edited].map(({ name }) => name)).toEqual(['Eva']);
    const { failures } = await store.sync();
    expect(failures.map(({ error }) => error.code)).toEqual(['network']);
  });

  test('a load of a session calls no callbacks of options, which only records have', async () => {
    const called: string[] = [];
    const options = { failure: () => called.push('failure'), callback: () => called.push('callback') };
    await expect(new Session().load(User, 1, options as object)).rejects.toThrow();
    expect(called).toEqual([]);
  });
});
