import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkTypes } from '../docs/check-types.js';

// The compiler names each mistake where it is made, and lists or suggests the known names. The messages are those of the compiler of
// this project; `test/types/mistakes` has the beginnings that all supported compilers agree on.

const prelude = `
import { Model, RestProxy, retry, Store, sync, viewOf, windowOf } from 'repose';
import { groups } from 'repose/groups';
class User extends Model.define({ fields: { id: 'int', name: 'string', joined: 'date' }, proxy: { url: '/users' } }) {}
const users = new Store({ model: User });
const user = new User();
`.replaceAll('\n', ' ');

/** Messages by the code that causes them. */
const messages: Record<string, string> = JSON.parse(
  readFileSync(new URL('typescript-messages.json', import.meta.url), 'utf8'),
);
const codes = Object.keys(messages);

const found = checkTypes(
  codes.map((code, index) => ({
    file: `test/mistakes/mistake-${index}.ts`,
    code: `${prelude}void [RestProxy, retry, sync, viewOf, windowOf, groups, users, user];\n${code};`,
    where: () => String(index),
  })),
);
/** The compiler lists names in the order in which it has first seen them. */
const sorted = (message: string) =>
  message.replace(/"\w+"(?: \| "\w+")+/g, (names) => names.split(' | ').sort().join(' | '));

describe('a mistake in TypeScript is a compile error that lists or suggests the known names', () => {
  test.each(codes.map((code, index) => [code, index] as const))('%s', (code, index) => {
    const told = found.filter((each) => each.startsWith(`${index}: `)).map((each) => each.slice(`${index}: `.length));
    expect(told.map(sorted)).toEqual([messages[code]]);
  });
});
