import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readPage, root, tableBelow } from './markdown.js';

/** A page of another library: the characters of its text, and the lines of its example without blank ones and comments. */
interface Other {
  readonly page: string;
  readonly characters: number;
  readonly lines: number | undefined;
}

/** Ours: a page, and the parts of files that a reader writes for the task; none where nothing is to be written. */
interface Ours {
  readonly page: string;
  readonly code: readonly (readonly [file: string, from: string, to: string])[];
}

interface Task {
  readonly task: string;
  readonly query: Other;
  readonly rtk: Other | undefined;
  readonly ours: Ours;
}

const other = (page: string, characters: number, lines?: number): Other => ({ page, characters, lines });
const README = 'test/frameworks/screens/react/readme.tsx';

/** Pages of the repositories TanStack/query and reduxjs/redux-toolkit, as they were stored on 2026-11-30. */
const TASKS: readonly Task[] = [
  {
    task: 'Show a list',
    query: other('queries', 4784, 20),
    rtk: other('queries', 20932, 19),
    ours: { page: 'guide/react', code: [[README, 'export default', 'function OrderForm']] },
  },
  {
    task: 'Turn its pages',
    query: other('paginated-queries', 3360, 46),
    rtk: other('pagination', 2629, 47),
    ours: {
      page: 'guide/lists',
      code: [['test/frameworks/screens/react/tanstack-query-after.tsx', 'import', 'function Row']],
    },
  },
  {
    task: 'Load more at its end',
    query: other('infinite-queries', 8652, 49),
    rtk: other('infinite-queries', 14382, 42),
    ours: {
      page: 'guide/large-data',
      code: [['examples/next/app/task-list.tsx', 'const { records', '<p role="status">']],
    },
  },
  {
    task: 'Save a change',
    query: other('mutations', 12476, 28),
    rtk: other('mutations', 9661, 29),
    ours: { page: 'guide/writes', code: [[README, 'function OrderForm', '']] },
  },
  {
    task: 'Show it before the answer',
    query: other('optimistic-updates', 6983, 14),
    rtk: other('manual-cache-updates', 8535, 19),
    ours: { page: 'guide/writes', code: [] },
  },
  {
    task: 'Show what was refused',
    query: other('query-functions', 3972, 10),
    rtk: other('error-handling', 3284, 8),
    ours: { page: 'guide/errors', code: [['docs/guide/errors.md', 'export function UserForm', '```']] },
  },
  {
    task: 'Keep other lists right after a save',
    query: other('invalidations-from-mutations', 1610, 8),
    rtk: other('automated-refetching', 34173, 7),
    ours: { page: 'guide/detail-screen', code: [] },
  },
  {
    task: 'Refresh on return to the page',
    query: other('window-focus-refetching', 3516, 0),
    rtk: other('cache-behavior', 20021, 3),
    ours: { page: 'guide/lists', code: [['docs/guide/lists.md', 'import { keepFresh', '```']] },
  },
  {
    task: 'Render on a server',
    query: other('ssr', 25506, 52),
    rtk: other('server-side-rendering', 2155),
    ours: {
      page: 'guide/next',
      code: [
        ['examples/next/app/page.tsx', 'import', ''],
        ['examples/next/app/task-list.tsx', "'use client'", 'const { records'],
      ],
    },
  },
  {
    task: 'Test it',
    query: other('testing', 6099, 18),
    rtk: undefined,
    ours: { page: 'guide/testing', code: [['docs/guide/testing.md', 'class Task', '// 2.']] },
  },
];

const readText = (file: string): string => readFileSync(path.join(root, file), 'utf8');

function ownLines({ code }: Ours): number {
  const parts = code.map(([file, from, to]) => {
    const text = readText(file);
    const start = text.indexOf(from);
    return text.slice(start, to === '' ? undefined : text.indexOf(to, start));
  });
  const lines = parts.flatMap((part) => part.split('\n'));
  return lines.filter((line) => line.trim() && !/^\s*(\/\/|\/\*\*)/.test(line)).length;
}

/** Words of a page of which only the characters are known: seven characters each, as in our pages. */
const wordsOf = (page: Other | undefined): string => (page ? String(Math.round(page.characters / 70) * 10) : '–');
const ownWords = (page: string): number => readText(`docs/${page}.md`).split(/\s+/).filter(Boolean).length;
const shown = (lines: number | undefined): string => (lines === undefined ? '–' : String(lines));

const rows = tableBelow(readPage('docs/reference/tasks.md').text, '# Ten tasks');

test('docs/reference/tasks.md counts words and lines of ten tasks', () => {
  const expected = TASKS.map(({ task, query, rtk, ours }) => [
    task,
    `${wordsOf(query)}, ${shown(query.lines)}`,
    rtk ? `${wordsOf(rtk)}, ${shown(rtk.lines)}` : '–',
    `(../${ours.page}.md), ${ownLines(ours)}`,
  ]);
  expect(rows.map((row) => row.map((cell) => cell.replace(/^\[\d+\]/, '')))).toEqual(expected);
});

test.each(TASKS)('docs/reference/tasks.md: $task has about the words of our page', ({ task, ours }) => {
  const shownWords = Number(/^\[(\d+)\]/.exec(rows.find(([name]) => name === task)?.at(-1) ?? '')?.[1]);
  expect(Math.abs(shownWords / ownWords(ours.page) - 1)).toBeLessThan(0.1);
});
