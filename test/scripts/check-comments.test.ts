import { describe, expect, test } from 'vitest';
import { refusedComments } from '../../scripts/check-comments.mjs';

describe('the check of comments', () => {
  test.each(['Of', 'What', 'Who', 'Whose', 'Where', 'Nor', 'That'])('refuses a comment that opens with %s', (word) => {
    expect(refusedComments('a.ts', `// ${word} is sent.\n`)).toEqual([
      `a.ts:1: a comment opens with '${word}', name its subject: "${word} is sent."`,
    ]);
    expect(refusedComments('a.ts', `const a = 1; // ${word} is sent.\n`)).toHaveLength(1);
    expect(refusedComments('a.ts', `/** ${word} is sent. */\nconst a = 1;\n`)).toHaveLength(1);
  });

  test('reads each paragraph, list item and tag of a block', () => {
    const text = ['/**', ' * The request.', ' *', ' * What is sent.', ' * - Who asks.', ' * @param a Where it goes.'];
    expect(refusedComments('a.ts', [...text, ' * @returns Nor this.', ' */', 'const a = 1;'].join('\n'))).toHaveLength(
      4,
    );
  });

  test('reads line comments below each other as one comment', () => {
    expect(refusedComments('a.ts', '// The request, and\n// What else.\n')).toEqual([]);
    expect(refusedComments('a.ts', 'f(); // The request.\n\n// What else.\n')).toHaveLength(1);
  });

  test('accepts other comments, code in examples, and texts that look like comments', () => {
    const example = '/**\n * An example:\n *\n * ```ts\n * Of(1);\n * ```\n */\nconst a = 1;\n';
    expect(refusedComments('a.ts', example)).toEqual([]);
    expect(refusedComments('a.ts', "const a = '// What is sent.';\nconst b = `// Of this`;\n")).toEqual([]);
    expect(refusedComments('a.ts', '// Whatever is sent.\n/** Offline. */\n// what\n')).toEqual([]);
  });
});
