import { describe, expect, test } from 'vitest';
import { checkTypes, type VirtualModule } from './check-types.js';
import { readExamples } from './examples.js';
import { readPages } from './markdown.js';
import { snippetOf } from './snippet.js';

describe('code in texts', () => {
  test('the code of every page compiles', { timeout: 60_000 }, () => {
    const pages = readPages().map((page): VirtualModule => {
      const { file, code, lines } = snippetOf(page);
      return { file: `test/docs/page-${file.replace(/\W/g, '-')}.ts`, code, where: (line) => `${file}:${lines[line]}` };
    });
    expect(pages.length).toBeGreaterThan(10);
    expect(checkTypes(pages)).toEqual([]);
  });

  test('every @example in the source compiles', { timeout: 60_000 }, () => {
    const examples = readExamples();
    expect(examples.length).toBeGreaterThan(10);
    expect(checkTypes(examples)).toEqual([]);
  });

  test('a mistake in a page is found and named by its line', { timeout: 60_000 }, () => {
    const page = {
      file: 'page.md',
      text: "# Page\n\n```ts\nimport { Model } from 'repose';\n\nModel.defin({});\n```\n",
    };
    const { code, lines } = snippetOf(page);
    const found = checkTypes([{ file: 'test/docs/page.ts', code, where: (line) => `page.md:${lines[line]}` }]);
    expect(found).toEqual([expect.stringMatching(/^page\.md:6: Property 'defin' does not exist/)]);
  });
});
