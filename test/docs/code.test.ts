import { beforeAll, describe, expect, test } from 'vitest';
import { checkTypes, type VirtualModule } from './check-types.js';
import { readExamples } from './examples.js';
import { blocksOf, type Page, programOf, readPages } from './markdown.js';
import { snippetOf } from './snippet.js';

const pageModule = (page: Page): VirtualModule => {
  const { file, code, lines } = snippetOf(page);
  return { file: `test/docs/page-${file.replace(/\W/g, '-')}.ts`, code, where: (line) => `${file}:${lines[line]}` };
};

const wrong = { file: 'wrong.md', text: "# Page\n\n```ts\nimport { Model } from 'repose';\n\nModel.defin({});\n```\n" };
const pages = readPages().map(pageModule);
/** Programs of guides are compiled alone as well: readers paste them without the rest of the page. */
const programs = readPages()
  .filter(({ file, text }) => file.startsWith('docs/guide/') && blocksOf(text)[0]?.prints)
  .map(programOf)
  .map(pageModule);
const examples = readExamples();
let problems: string[];

describe('code in texts', () => {
  // One program for all modules, because most of its time goes into the library and the platform's types.
  beforeAll(() => {
    problems = checkTypes([...pages, ...programs, ...examples, pageModule(wrong)]);
  });

  test('of every page compiles', () => {
    expect(pages.length).toBeGreaterThan(10);
    expect(programs.length).toBeGreaterThanOrEqual(10);
    expect(
      problems.filter((each) => /^[\w/-]+\.md( \(program\))?:/.test(each) && !each.startsWith(wrong.file)),
    ).toEqual([]);
  });

  test('of every @example in the source compiles', () => {
    expect(examples.length).toBeGreaterThan(10);
    expect(problems.filter((each) => each.startsWith('src/'))).toEqual([]);
  });

  test('with an error is found, and the error names its line', () => {
    expect(problems.filter((each) => each.startsWith(wrong.file))).toEqual([
      expect.stringMatching(/^wrong\.md:6: Property 'defin' does not exist/),
    ]);
  });
});
