import {
  email,
  embed,
  exclusion,
  type Finding,
  format,
  inclusion,
  length,
  Model,
  presence,
  range,
  url,
  type Validator,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

/** The issues that these validators find in a value. */
function issues(validators: readonly Validator[], value: unknown, messages: Record<string, string> = {}) {
  class Sample extends Model.define({ fields: { id: 'int', a: { validators, allowNull: true } }, messages }) {}
  return new Sample({ a: value }).$.validate().map(({ code, message }) => [code, message]);
}

describe.each<[name: string, validator: Validator, good: unknown[], bad: unknown[], issue: [string, string]]>([
  ['presence', presence(), [0, false, 'a', []], [null, ''], ['required', 'is required']],
  [
    'presence of a text that may be empty',
    presence({ allowEmpty: true, message: 'is missing' }),
    ['', 0, false, 'a', []],
    [null, undefined],
    ['required', 'is missing'],
  ],
  [
    'length',
    length({ min: 2, max: 3 }),
    ['ab', [1, 2, 3]],
    ['a', 'abcd', []],
    ['length', 'must be 2 to 3 characters long'],
  ],
  ['minLength', length({ min: 2 }), ['ab'], ['a'], ['minLength', 'must be at least 2 characters long']],
  ['maxLength', length({ max: 2 }), ['', 'ab'], ['abc'], ['maxLength', 'must be at most 2 characters long']],
  ['range', range({ min: 1, max: 3 }), [1, 2, 3], [0, 4], ['range', 'must be between 1 and 3']],
  ['min', range({ min: 1n }), [1n, 5n], [0n], ['min', 'must be at least 1']],
  ['max', range({ max: 'm' }), ['a', 'm'], ['z'], ['max', 'must be at most m']],
  ['format', format(/^a+$/g), ['a', 'aa'], ['b', 5], ['format', 'has the wrong format']],
  [
    'email',
    email(),
    ['ada@example.org', 'a.b+c@d-e.co', "o'hara@x.io"],
    ['', 'ada', 'a@b', 'a b@c.de', 'a@-b.de', 'a@b-.de', 'a@b..de'],
    ['email', 'must be an e-mail address'],
  ],
  [
    'url',
    url(),
    ['http://a.b', 'https://a.b/c?d#e', 'HTTPS://x'],
    ['', 'a.b', 'ftp://a.b', 'javascript:alert(1)', 'http://', 'https:///x', 'http://a b'],
    ['url', 'must be an http or https address'],
  ],
  ['inclusion', inclusion(['a', 1]), ['a', 1], ['b', '1'], ['inclusion', 'must be one of a,1']],
  ['exclusion', exclusion(['a', 1]), ['b', '1'], ['a', 1], ['exclusion', 'must not be one of a,1']],
])('%s', (_, validator, good, bad, issue) => {
  test('accepts valid values, also a second time', () => {
    for (const value of [...good, ...good]) expect([value, issues([validator], value)]).toEqual([value, []]);
  });

  test('refuses invalid values', () => {
    for (const value of bad) expect([value, issues([validator], value)]).toEqual([value, [issue]]);
  });
});

test('range compares decimals as numbers, and days as text', () => {
  const decimals = range({ min: '-5', max: '100.5' });
  expect(['9', '10.50', '-4.9', '100.50', '0'].map((each) => decimals(each, {}))).toEqual(Array(5).fill(undefined));
  expect(['-5.1', '100.500000000000000001', '1000'].map((each) => decimals(each, {})?.code)).toEqual(
    Array(3).fill('range'),
  );
  const days = range({ min: '2024-02-01' });
  expect([days('2024-10-01', {}), days('2024-01-31', {})?.code]).toEqual([undefined, 'min']);
});

test('range compares dates', () => {
  const validator = range({ min: new Date(5), max: new Date(6) });
  expect([issues([validator], new Date(5)), issues([validator], new Date(7)).length]).toEqual([[], 1]);
});

test('only presence checks missing values', () => {
  const all = [length({ min: 1 }), range({ min: 1 }), format(/x/), email(), url(), inclusion([1]), exclusion([1])];
  expect(issues(all, null)).toEqual([]);
  expect(issues(all, undefined)).toEqual([]);
  expect(issues([presence()], undefined)).toEqual([['required', 'is required']]);
});

test('the text of an issue comes from the validator, else from the messages of the model', () => {
  expect(issues([length({ min: 5, message: 'too short' })], 'a')).toEqual([['minLength', 'too short']]);
  expect(issues([presence({ message: 'wanted' })], null)).toEqual([['required', 'wanted']]);
  expect(issues([length({ min: 5 })], 'a', { minLength: 'mindestens {min} Zeichen' })).toEqual([
    ['minLength', 'mindestens 5 Zeichen'],
  ]);
  expect(issues([email({ message: 'own' })], 'a', { email: 'table' })).toEqual([['email', 'own']]);
});

test('length counts the characters of a number as it is shown', () => {
  const code = length({ min: 2, max: 4 });
  expect([5, 12, 1234, 12.5, -1, 12345, 10n, 7n].map((value) => [value, issues([code], value).length])).toEqual([
    [5, 1],
    [12, 0],
    [1234, 0],
    [12.5, 0],
    [-1, 0],
    [12345, 1],
    [10n, 0],
    [7n, 1],
  ]);
});

test('presence with a message reports a null in a field without allowNull once, with that message', () => {
  const validators = [presence({ message: 'please fill this in' })];
  class Person extends Model.define({ fields: { id: 'int', name: { type: 'string', validators } } }) {}
  const person = new Person({ name: null as never });
  expect(person.$.validate().map(({ message }) => message)).toEqual(['please fill this in']);
  expect(person.$.errors.name?.map(({ code, message }) => [code, message])).toEqual([
    ['required', 'please fill this in'],
  ]);
  class Plain extends Model.define({
    fields: { id: 'int', name: { type: 'string', validators: [presence(), length({ max: 5 })] } },
  }) {}
  expect(new Plain({ name: null as never }).$.validate().map(({ code }) => code)).toEqual(['required']);
});

test('a validator of the application gives its own code and text', () => {
  const even: Validator = (value) =>
    (value as number) % 2 ? { code: 'odd', message: 'must be even', params: { value } } : undefined;
  const bare: Validator = (): Finding => ({ code: 'bare' });
  expect(issues([even, bare], 3)).toEqual([
    ['odd', 'must be even'],
    ['bare', 'bare'],
  ]);
  expect(issues([even], 2)).toEqual([]);
});

test('a validator is not called with a value that the type of the field refuses', () => {
  const short = (value: string) => (value.trim().length > 3 ? { code: 'short', message: 'is too long' } : undefined);
  class Sample extends Model.define({ fields: { id: 'int', a: { type: 'string', validators: [short] } } }) {}
  const codes = (a: unknown) => Sample.fromRow({ id: 1, a }).$.errors.a?.map(({ code }) => code);
  expect([codes('abcd'), codes('abc'), codes({})]).toEqual([['short'], undefined, ['type']]);
});

describe('a validator that compares fields', () => {
  const afterStart = (end: number, record: { readonly start: number; readonly label?: string }) =>
    end < record.start ? { code: 'order', message: `${record.label} ends before it starts` } : undefined;
  const fields = { id: 'int', start: 'int', end: { type: 'int', validators: [afterStart] } } as const;
  class Shift extends Model.define({ name: 'shift', fields, proxy: server.proxy('/shifts') }) {
    get label() {
      return `shift ${this.getId()}`;
    }
  }
  const found = (shift: Shift) => shift.$.validate().map(({ path, message }) => [...path, message]);

  test('gets the record with its edits and getters', () => {
    expect(found(new Shift({ start: 5, end: 4 }))).toEqual([['end', 'shift -1 ends before it starts']]);
    const shift = Shift.fromRow({ id: 7, start: 5, end: 4 });
    expect(found(shift)).toEqual([['end', 'shift 7 ends before it starts']]);
    shift.start = 3;
    expect(found(shift)).toEqual([]);
  });

  test('is called by a save if its field was edited, and can stop the request', async () => {
    const shift = Shift.fromRow({ id: 7, start: 5, end: 6 });
    shift.end = 4;
    await expect(shift.save()).rejects.toMatchObject({ code: 'validation', issues: [{ code: 'order' }] });
    expect(server.requests).toEqual([]);
  });

  test('gets the embedded record if its field is in one', () => {
    const Plan = Model.define({ fields: { id: 'int', shift: embed(Model.define({ fields })) } });
    const plan = new Plan({ shift: { start: 5, end: 4 } });
    expect(plan.$.validate().map(({ path }) => path)).toEqual([['shift', 'end']]);
  });

  test('gets the values of a row if a strict reader checks it', async () => {
    const Strict = Shift.with({ proxy: { reader: { strict: true } } });
    server.reply({ json: { id: 7, start: 5, end: 4 } }, { json: { id: 7, start: 5, end: 6 } });
    await expect(Strict.load(7)).rejects.toMatchObject({ code: 'read', reason: 'response-field' });
    expect((await Strict.load(7)).end).toBe(6);
  });
});

test('an issue may have a code that is also the name of a member of every object', () => {
  expect(issues([() => ({ code: 'constructor' })], 1)).toEqual([['constructor', 'constructor']]);
});

test.each([
  ['a promise', async () => undefined, 'a Promise'],
  ['a text', () => 'too long', "'too long'"],
  ['a flag', () => true, 'true'],
  ['an object without a code', () => ({ message: 'no' }), 'an object'],
])('a validator that returns %s is a DefinitionError that says what to return', async (_, validator, value) => {
  class User extends Model.define({
    fields: { name: { type: 'string', validators: [validator as never] } },
    proxy: server.proxy('/users'),
  }) {}
  const text = `A validator of 'name' must return undefined or { code, message }, and at once, not ${value}`;
  expect(() => new User({ name: 'a' }).$.isValid()).toThrow(text);
  await expect(new User({ name: 'a' }).save()).rejects.toMatchObject({
    code: 'definition',
    message: expect.stringContaining(text),
  });
});

test.each([
  ['rejects', async () => Promise.reject(new Error('late')), /at once, not a Promise/],
  [
    'throws',
    () => {
      throw new Error('broken');
    },
    /^A validator of the field 'name' has thrown an error: Error: broken\./,
  ],
])('a validator that %s becomes the error of the check and of the save', async (_, validator, message) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    class User extends Model.define({
      // Both are called: the rejection of the first one must not get lost either.
      fields: {
        name: { type: 'string', validators: [validator, async () => Promise.reject(new Error('later'))] as never[] },
      },
      proxy: server.proxy('/users'),
    }) {}
    const user = new User({ name: 'a' });
    const mistake = { code: 'definition', message: expect.stringMatching(message) };
    expect(() => user.$.validate()).toThrow(expect.objectContaining(mistake));
    await expect(user.save()).rejects.toMatchObject(mistake);
    // Rejections that nobody handles are reported when the tasks of the present turn are done.
    await new Promise((resolve) => setImmediate(resolve));
    expect([unhandled, server.requests]).toEqual([[], []]);
  } finally {
    process.off('unhandledRejection', note);
  }
});

describe('$.errors', () => {
  class User extends Model.define({
    fields: {
      id: 'int',
      name: { type: 'string', validators: [presence(), length({ max: 5 })] },
      mail: { type: 'string', allowNull: true, mapping: 'e_mail', validators: [email()] },
      label: { type: 'string', calculate: () => 5, validators: [presence()] },
    },
    proxy: server.proxy('/users'),
  }) {}

  test('has the issues of the model, by field', () => {
    const user = User.fromRow({ id: 1, name: 'much too long', e_mail: 'x' });
    expect(user.$.errors).toEqual({
      name: [{ path: ['name'], code: 'maxLength', message: expect.any(String), params: { min: 0, max: 5 } }],
      mail: [{ path: ['mail'], code: 'email', message: 'must be an e-mail address' }],
    });
    user.set({ name: 'short', mail: null });
    expect([user.$.errors, user.$.isValid()]).toEqual([{}, true]);
  });

  test('accepts a new record without an id', () => {
    class Numbered extends Model.define({ fields: { id: { type: 'int', validators: [presence()] } } }) {}
    expect(new Numbered().$.isValid()).toBe(true);
    const numbered = new Numbered();
    numbered.set('id', 'x' as never);
    expect(numbered.$.errors.id?.[0]?.code).toBe('type');
  });

  test("has the issues of the server's last response under the model's field names until the next edit", async () => {
    const user = User.fromRow({ id: 1, name: 'Ada', e_mail: 'a@b.de' });
    user.name = 'Bob';
    server.reply({ status: 422, json: { errors: { e_mail: ['is taken'], other: ['is odd'] } } });
    await user.save().catch(() => undefined);
    expect(user.$.errors).toMatchObject({ mail: [{ message: 'is taken' }], other: [{ message: 'is odd' }] });
    expect(user.$.isValid()).toBe(true);
    user.mail = 'c@d.de';
    expect(user.$.errors).toEqual({});
  });

  test('has the issues of a 409', async () => {
    const user = User.fromRow({ id: 1, name: 'Ada' });
    server.reply({ status: 409, json: { errors: { name: ['was changed'] } } });
    await user.save().catch(() => undefined);
    expect(user.$.errors).toMatchObject({ name: [{ message: 'was changed' }] });
  });

  test("has issues of the whole record under '', and nothing if the server did not answer", async () => {
    const user = User.fromRow({ id: 1, name: 'Ada' });
    server.reply({ status: 422, json: { errors: ['is odd as a whole'] } }, { drop: true });
    await user.save().catch(() => undefined);
    expect(user.$.errors).toEqual({ '': [{ path: [], message: 'is odd as a whole' }] });
    await user.save().catch(() => undefined);
    expect([user.$.error?.code, user.$.errors]).toEqual(['network', {}]);
  });

  test('has each issue once', async () => {
    const user = User.fromRow({ id: 1, name: 'Ada', e_mail: 'x' });
    server.reply({ status: 422, json: { errors: { e_mail: ['must be an e-mail address'] } } });
    await user.save().catch(() => undefined);
    expect(user.$.errors.mail?.length).toBe(1);
  });

  test('accepts any name that the server gives', async () => {
    const user = User.fromRow({ id: 1, name: 'Ada' });
    server.reply({ status: 422, text: '{"errors":{"__proto__":["bad"],"constructor":["worse"]}}' });
    await user.save().catch(() => undefined);
    expect(Object.keys(user.$.errors).sort()).toEqual(['__proto__', 'constructor']);
    expect({}).not.toHaveProperty('message');
  });
});
