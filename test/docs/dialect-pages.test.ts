import * as dialects from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { readPage, readPages } from './markdown.js';

const functions = Object.keys(dialects);
/** The page of a dialect: `jsonServer` is on `json-server.md`. */
const pageOf = (dialect: string) =>
  `docs/dialects/${dialect.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;
/** Dialects that share the page of another one. */
const SHARED: Readonly<Record<string, string>> = { supabase: 'postgrest' };

describe('pages of dialects', () => {
  test('are one for each dialect', () => {
    const files = readPages().flatMap(({ file }) => (file.startsWith('docs/dialects/') ? file : []));
    const own = functions.filter((dialect) => !(dialect in SHARED));
    expect(files.sort()).toEqual(own.map(pageOf).sort());
  });

  test.each(functions)(
    '%s: has a worked example whose requests are shown, and says what it was tested against',
    (dialect) => {
      const { text } = readPage(pageOf(SHARED[dialect] ?? dialect));
      expect(text).toContain(`\`${dialect}(`);
      expect(text).toMatch(/^Tested against: .+(running|documentation)\.$/m);
      expect(text).toMatch(new RegExp(`import \\{[^}]*\\b${dialect}\\b[^}]*\\} from 'repose/dialects'`));
      for (const verb of ['GET', 'POST', 'DELETE']) expect(text).toMatch(new RegExp(`// .*${verb} /`));
      expect(text).toMatch(/\/\/ .*(PATCH|PUT) \//);
    },
  );

  test.each(functions)('%s: is in the table of dialects', (dialect) => {
    const file = pageOf(SHARED[dialect] ?? dialect).replace('docs/', '../');
    expect(readPage('docs/reference/dialects.md').text).toContain(`[\`${dialect}()\`](${file})`);
  });
});
