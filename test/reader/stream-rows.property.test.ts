import fc from 'fast-check';
import { Operation, ReadError, RestProxy, streaming } from 'repose';
import { describe, expect, test } from 'vitest';

type Rows = readonly object[];

/** A body that arrives in pieces of the given sizes, in turn. */
function bodyOf(bytes: Uint8Array, sizes: readonly number[]): ReadableStream<Uint8Array> {
  let at = 0;
  let piece = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      const size = sizes[piece++ % sizes.length] as number;
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

interface Read {
  readonly rows: object[];
  readonly batches: number;
  readonly count?: number;
  readonly total?: number | undefined;
  readonly error?: unknown;
}

/** Reads a body through a proxy; returns the rows passed to `onRows`, and the result. */
async function read(bytes: Uint8Array, sizes: readonly number[], reader: object): Promise<Read> {
  const proxy = new RestProxy({
    url: 'http://rows.test/rows',
    fetch: async () => new Response(bodyOf(bytes, sizes)),
    reader,
    use: [streaming()],
  });
  const rows: object[] = [];
  let batches = 0;
  const onRows = (more: Rows) => {
    expect(more.length).toBeGreaterThan(0);
    batches += 1;
    rows.push(...more);
  };
  try {
    const { count, total, rows: left } = await proxy.read(new Operation({ action: 'read', onRows }));
    expect(left).toEqual([]);
    return { rows, batches, count, total };
  } catch (error) {
    return { rows, batches, error };
  }
}

const encode = (text: string) => new TextEncoder().encode(text);
const sizes = () => fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
/** Text with characters that a scanner may get wrong. */
const nasty = () =>
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '\n', '\r', 'é', '𝄞', '\u2028', 'a') }),
  );
const value = () => fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' });
const row = () => fc.dictionary(nasty(), fc.oneof(value(), nasty(), fc.array(fc.dictionary(nasty(), nasty()))));
/** Indentations that servers use in JSON. */
const indent = () => fc.constantFrom(undefined, 1, '\t', '\r\n ');
/** A text with all characters beyond ASCII escaped, as some servers send it. */
const spell = (text: string, escaped: boolean) =>
  escaped ? text.replace(/[^\0-~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`) : text;
const parsed = (rows: unknown) => JSON.parse(JSON.stringify(rows)) as object[];

interface Document {
  readonly path: readonly string[];
  readonly body: object;
  readonly rows: object[];
}
/** A document with rows at a path, and other members before and after them. */
const document = (): fc.Arbitrary<Document> =>
  fc
    .record({
      path: fc.array(fc.constantFrom('data', 'rows', 'a b', 'é', '"', 'constructor'), { maxLength: 3 }),
      rows: fc.array(row(), { maxLength: 12 }),
      before: fc.dictionary(nasty(), value(), { maxKeys: 3 }),
      behind: fc.dictionary(nasty(), value(), { maxKeys: 3 }),
    })
    .filter(({ path, before, behind }) => path.every((name) => !(name in before) && !(name in behind)))
    .map(({ path, rows, before, behind }) => {
      // A generated member must not be read as a failure or as the total.
      for (const each of [before, behind]) for (const name of ['success', 'total']) delete each[name];
      const wrap = (inner: object, name: string) => ({ ...before, [name]: inner, ...behind });
      return { path, rows: parsed(rows), body: [...path].reverse().reduce(wrap, rows as object) };
    });

describe('a JSON document that is read while it arrives', () => {
  test('gives the rows of JSON.parse, wherever its pieces are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        document(),
        sizes(),
        indent(),
        fc.boolean(),
        async ({ path, body, rows }, cuts, space, escaped) => {
          const text = spell(JSON.stringify(body, null, space), escaped);
          const found = await read(encode(text), cuts, { stream: true, rootProperty: path.join('.') });
          expect(found.error).toBeUndefined();
          expect(parsed(found.rows)).toEqual(rows);
          expect(found).toMatchObject({ count: rows.length, total: rows.length });
        },
      ),
      { numRuns: 100 },
    );
  });

  test('that is cut short gives its first rows, then a ReadError', async () => {
    await fc.assert(
      fc.asyncProperty(document(), sizes(), fc.nat(), async ({ path, body, rows }, cuts, at) => {
        const bytes = encode(JSON.stringify(body));
        const found = await read(bytes.slice(0, 1 + (at % (bytes.length - 1))), cuts, {
          stream: true,
          rootProperty: path.join('.'),
        });
        expect(found.error).toBeInstanceOf(ReadError);
        expect(parsed(found.rows)).toEqual(rows.slice(0, found.rows.length));
      }),
      { numRuns: 100 },
    );
  });

  test('with a wrong byte gives the rows of JSON.parse or a ReadError', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row(), { maxLength: 6 }),
        sizes(),
        fc.nat(),
        fc.constantFrom(...'{}[]",:\\x0'),
        async (given, cuts, place, character) => {
          const text = JSON.stringify(given);
          const at = place % text.length;
          const wrong = text.slice(0, at) + character + text.slice(at + 1);
          let expected: unknown[] | undefined;
          try {
            const body: unknown = JSON.parse(new TextDecoder().decode(encode(wrong)));
            if (Array.isArray(body) && body.every((each) => typeof each === 'object' && each && !Array.isArray(each)))
              expected = body;
          } catch {}
          const found = await read(encode(wrong), cuts, { stream: true });
          if (expected) expect(parsed(found.rows)).toEqual(parsed(expected));
          else if (!/^[{"\d]/.test(wrong)) expect(found.error).toBeInstanceOf(ReadError);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('lines of JSON', () => {
  const ends = () => fc.constantFrom('\n', '\r\n', '\n\n', '\n \r\n');

  test('give their rows, wherever the pieces are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row(), { maxLength: 12 }),
        sizes(),
        ends(),
        fc.boolean(),
        async (rows, cuts, end, last) => {
          const text = rows.map((each) => JSON.stringify(each)).join(end) + (last ? end : '');
          const found = await read(encode(text), cuts, { type: 'ndjson' });
          expect(found.error).toBeUndefined();
          expect(parsed(found.rows)).toEqual(parsed(rows));
          expect(found.count).toBe(rows.length);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('with an incomplete last line give the rows before it, then a ReadError', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row(), { minLength: 1, maxLength: 6 }), sizes(), fc.nat(), async (rows, cuts, at) => {
        const lines = rows.map((each) => JSON.stringify(each));
        const last = encode(lines.pop() as string);
        const bytes = [
          ...encode(lines.map((line) => `${line}\n`).join('')),
          ...last.slice(0, 1 + (at % (last.length - 1))),
        ];
        const found = await read(Uint8Array.from(bytes), cuts, { type: 'ndjson' });
        expect(found.error).toBeInstanceOf(ReadError);
        expect(found.error).toMatchObject({ params: { row: rows.length - 1 } });
        expect(parsed(found.rows)).toEqual(parsed(rows.slice(0, -1)));
      }),
      { numRuns: 100 },
    );
  });
});
