import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { proseOf, readPages, root } from './markdown.js';

const pages = readPages();

/** The anchor that GitHub gives a heading: lower case, without punctuation, dashes for blanks. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf(text: string): string[] {
  return [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

function linksOf(text: string): string[] {
  return [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

describe('links inside the texts', () => {
  test.each(pages)('of $file lead to an existing place', ({ file, text }) => {
    const broken = linksOf(text)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [to = '', anchor] = target.split('#');
        const found = to === '' ? file : path.posix.join(path.posix.dirname(file), to);
        if (!existsSync(path.join(root, found))) return true;
        const page = pages.find((each) => each.file === found);
        return anchor !== undefined && !anchorsOf(page?.text ?? '').includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  test('lead from the README to the index, from the index to every page for users, and from CONTRIBUTING to the others', () => {
    const targetsOf = (name: string): string[] => {
      const folder = path.posix.dirname(name);
      const text = pages.find(({ file }) => file === name)?.text ?? '';
      return linksOf(text).map((target) => path.posix.join(folder, target.split('#')[0] ?? ''));
    };
    const docs = pages.map(({ file }) => file).filter((file) => file.startsWith('docs/') && file !== 'docs/README.md');
    expect(docs.length).toBeGreaterThan(20);
    expect(targetsOf('README.md')).toContain('docs/README.md');
    const isInside = (file: string) => file.startsWith('docs/inside/');
    expect(docs.filter((file) => !isInside(file) && !targetsOf('docs/README.md').includes(file))).toEqual([]);
    expect(docs.filter((file) => isInside(file) && !targetsOf('CONTRIBUTING.md').includes(file))).toEqual([]);
  });

  test('the test makes anchors like GitHub', () => {
    expect(anchorOf('What stands behind `$`')).toBe('what-stands-behind-');
    expect(anchorOf('Why is it so?')).toBe('why-is-it-so');
  });
});
