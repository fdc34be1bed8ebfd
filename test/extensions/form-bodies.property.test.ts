import fc from 'fast-check';
import { type FormNames, formBodies, Operation, ProxyRequest, RestProxy } from 'repose';
import { expect, test } from 'vitest';

type Nested = string | readonly Nested[] | { readonly [name: string]: Nested };

const requestOf = (body: unknown) =>
  Object.assign(new ProxyRequest({ operation: new Operation({ action: 'create' }) }), { body });
const extension = formBodies();
const encode = (body: unknown, names: FormNames) => {
  const proxy = new RestProxy({ url: '/', writer: { type: 'form', names, values: { empty: 'EMPTY' } } });
  return extension.encode?.(requestOf(body), proxy)?.body as string;
};

/** The path that a name of an entry says, as servers read it; '' stands for the next item of a list. */
function pathOf(name: string, names: 'brackets' | 'dots'): string[] {
  if (names === 'brackets') {
    const [first = ''] = /^[^[]*/.exec(name) ?? [];
    return [first, ...[...name.slice(first.length).matchAll(/\[([^\]]*)\]/g)].map(([, part = '']) => part)];
  }
  return name.split(/\.|\[(\d+)\]/).filter((part) => part !== undefined && part !== '');
}

/** Decodes a form as PHP, Rails, Spring and the package `qs` do: numbers and empty brackets make lists. */
function decode(text: string, names: 'brackets' | 'dots'): unknown {
  const root = new Map<string, unknown>();
  for (const [name, value] of new URLSearchParams(text)) {
    let at = root;
    const path = pathOf(name, names);
    const last = path.pop() as string;
    for (const part of path) {
      const inside = at.get(part) ?? new Map<string, unknown>();
      at.set(part, inside);
      at = inside as Map<string, unknown>;
    }
    const key = last === '' ? String(at.size) : last;
    at.set(key, value);
  }
  return plain(root);
}

function plain(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  const names = [...value.keys()] as string[];
  const members = names.map((name) => [name, plain(value.get(name))] as const);
  if (names.every((name) => /^\d+$/.test(name))) return members.map(([, member]) => member);
  return Object.fromEntries(members);
}

/** Replaces empty lists and objects by what the option `values` sends for them. */
function withEmpty(value: Nested, names: 'brackets' | 'dots', isTop = false): unknown {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return names === 'brackets' ? ['EMPTY'] : 'EMPTY';
    return value.map((each) => withEmpty(each as Nested, names));
  }
  const members = Object.entries(value).map(([name, each]) => [name, withEmpty(each as Nested, names)] as const);
  return members.length === 0 && !isTop ? 'EMPTY' : Object.fromEntries(members);
}

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
  .filter((text) => !/[.[\]]|^\d+$|^__proto__$|\p{Surrogate}/u.test(text));
const { nested } = fc.letrec<{ nested: Nested }>((tie) => ({
  nested: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('nested'), { maxLength: 4 }),
    fc.dictionary(name, tie('nested'), { maxKeys: 4 }),
  ),
}));
const body = fc.dictionary(name, nested, { maxKeys: 4 });

test.each(['brackets', 'dots'] as const)('a form with %s is decoded to what was written', (names) => {
  fc.assert(
    fc.property(body, (given) => {
      expect(decode(encode(given, names), names)).toEqual(
        Object.keys(given).length === 0 ? [] : withEmpty(given, names, true),
      );
    }),
  );
});
