import fc from 'fast-check';
import { Model, RestProxy } from 'repose';
import { expect, test, vi } from 'vitest';

// No Location, however hostile, gives a record an id from outside its collection.

vi.setConfig({ testTimeout: 60_000 });

const pieces = [
  ...['/', '//', '\\', '.', '..', '%2e', '%2F', '%', '?', '#', ':', '@', ',', ', ', ';', '(', ')', '{', '}', '%75'],
  ...['users', 'Users', 'jobs', 'users.json', '.json', '7', '07', '-1', '1e3', 'confirm', '__proto__', 'constructor'],
  ...['http://', 'https://h.test/users/', 'http://evil.test/users/9', 'urn:', 'javascript:', '/users/', '/jobs/', 'é'],
];
const location = fc.oneof(
  { weight: 8, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);
const status = fc.constantFrom(200, 201, 202, 204);

/** Saves a new record whose create is answered with a `Location` alone; then saves and erases it. */
async function run(header: string, answer: number, type: 'int' | 'string', format: string | undefined) {
  const calls: string[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    calls.push(`${init.method} ${String(url)}`);
    const headers = { Location: header };
    return init.method === 'POST'
      ? new Response(null, { status: answer, headers })
      : new Response(null, { status: 204 });
  };
  const proxy = new RestProxy({ url: 'https://h.test/v1/users', noCache: false, format, fetch: fetch as never });
  const User = class extends Model.define({ fields: { id: type, name: 'string' }, proxy }) {};
  const user = new User({ name: 'Ada' });
  const error = await user.save().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  await user.erase().catch(() => undefined);
  return { user, error, calls };
}

/** Whether a text can be sent as a header. */
function canTravel(header: string): boolean {
  try {
    return new Headers({ Location: header }).get('Location') !== null;
  } catch {
    return false;
  }
}

test("a Location gives an id only below a segment with the collection's name, or as a single segment", async () => {
  await fc.assert(
    fc.asyncProperty(
      location.filter(canTravel),
      status,
      fc.constantFrom('int' as const, 'string' as const),
      fc.constantFrom('json', undefined),
      async (header, answer, type, format) => {
        const { user, error, calls } = await run(header, answer, type, format);
        if (error) {
          expect(error).toMatchObject({ code: 'read', reason: 'response-no-id' });
          expect([user.phantom, user.$.unconfirmed, calls.length]).toEqual([true, true, 1]);
          return;
        }
        expect(answer).not.toBe(202);
        // The platform's URL decides where the header leads.
        const text = header.trim();
        const { pathname } = new URL(text, 'https://h.test/v1/users');
        const [before, last] = pathname.replace(/\/+$/, '').split('/').slice(-2);
        const isBare = /^[^/\\:?#]+\/?([?#].*)?$/.test(text);
        expect(isBare || decoded(before) === 'users').toBe(true);
        const id = String(user.getId());
        const texts = format ? [decoded(last), decoded(last).replace(/\.json$/, '')] : [decoded(last)];
        expect(texts.map((each) => (type === 'int' ? String(Number(each)) : each))).toContain(id);
        if (type === 'int') expect(id).toMatch(/^-?\d+$/);
        // Later requests go to that record, in our own collection.
        // The text is used unchanged, even if the field reads it as a number.
        const [, target = ''] = calls;
        const isAddressed = (each: string) =>
          target.startsWith(`DELETE https://h.test/v1/users/${encodeURIComponent(each)}`);
        if (target) expect([calls.length, texts.some(isAddressed)]).toEqual([2, true]);
      },
    ),
    { numRuns: 3000 },
  );
});

test('the id from a Location below the collection is the decoded text of its segment', async () => {
  const prefix = fc.constantFrom('', '/', '/v1/', '/a/b/', 'https://elsewhere.test/x/', '//h.test/');
  const tail = fc.constantFrom('', '/', '?x=/jobs/1', '#/jobs/1', '/?a=b');
  const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !/^\.{1,2}$/.test(text));
  await fc.assert(
    fc.asyncProperty(prefix, tail, id, async (start, end, text) => {
      const { user, error } = await run(`${start}users/${encodeURIComponent(text)}${end}`, 201, 'string', undefined);
      expect([error, user.id]).toEqual([undefined, text]);
    }),
    { numRuns: 500 },
  );
});

function decoded(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? '');
  } catch {
    return segment ?? '';
  }
}
