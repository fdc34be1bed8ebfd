// A page for each text of an error, and for each code: the messages of errors end with their addresses.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writePage } from './copy-pages.mjs';
import { tableBelow } from './markdown.mjs';
import { root } from './paths.mjs';

/** Where to read on, by the class of an error. */
const GUIDES = {
  AddressError: [['Addresses', 'guide/addressing.md']],
  UnsupportedQueryError: [
    ['Who sorts and filters', 'reference/stores.md#sorting-filtering-grouping'],
    ['Talk to your server', 'guide/dialects.md'],
  ],
  NetworkError: [
    ['Work offline', 'guide/offline.md'],
    ['Unreliable networks', 'reference/network.md'],
  ],
  TimeoutError: [['Unreliable networks', 'reference/network.md']],
  AbortError: [['Stores', 'reference/stores.md']],
  HttpError: [['Show errors', 'guide/errors.md']],
  AuthError: [['Sign in and send a token', 'guide/sign-in.md']],
  ConflictError: [['Handle conflicts', 'guide/conflicts.md']],
  ValidationError: [['Show errors', 'guide/errors.md']],
  ReadError: [['Dialects, readers and writers', 'reference/dialects.md']],
  DefinitionError: [
    ['Options', 'reference/options.md'],
    ['Models and fields', 'reference/models.md'],
  ],
  StateError: [['Records', 'reference/records.md']],
  DependencyError: [['Use nested resources', 'guide/nested.md']],
  SyncError: [['Many writes', 'reference/sync.md']],
  OutboxError: [
    ['Outbox', 'reference/outbox.md'],
    ['Work offline', 'guide/offline.md'],
  ],
  BatchError: [['Many writes', 'reference/sync.md']],
  MergeError: [['Many writes', 'reference/sync.md']],
};

/** The class of keys that the source finds in a table, by how they begin. The first one that fits counts. */
const CLASSES_BY_KEY = [
  [/^http-(sign-in|forbidden)$/, 'AuthError'],
  [/^http-(conflict|condition)$/, 'ConflictError'],
  [/^http-validation$/, 'ValidationError'],
  [/^http-/, 'HttpError'],
  [/^(response|stream|tree-nested)-/, 'ReadError'],
  [/^outbox-/, 'OutboxError'],
  [/^(option|query-(value|model|travel))/, 'DefinitionError'],
];

/** Writes the page of each key and code. */
export function writeErrorPages() {
  const doc = readFileSync(path.join(root, 'docs/errors.md'), 'utf8');
  const texts = new Map(tableBelow(doc, 'Texts').map(([key, text]) => [bare(key), text]));
  const classes = tableBelow(doc, 'Codes').map(([name, codes, when, retryable]) => ({
    name: bare(name),
    codes: [...codes.matchAll(/`([^`]+)`/g)].map(([, code]) => code),
    when: when.replaceAll('](', '](../../'),
    retryable,
  }));
  const thrown = classesByKey(classes);
  const keys = new Set([...texts.keys(), ...classes.flatMap(({ codes }) => codes)]);
  for (const key of keys) {
    const byCode = classes.find(({ codes }) => codes.includes(key));
    const found =
      thrown.get(key) ??
      CLASSES_BY_KEY.filter(([begins]) => begins.test(key))
        .map(([, name]) => name)
        .slice(0, 1);
    const names = new Set([...(byCode ? [byCode.name] : []), ...found]);
    const raised = classes.filter(({ name }) => names.has(name));
    writePage(`e/${key}/index.md`, errorPage(key, texts.get(key), byCode, raised));
  }
  return keys.size;
}

const bare = (cell) => cell.replace(/^(`+) ?(.*?) ?\1$/, '$2');

/** The page of one key. The text stands first, because readers come with a message. */
function errorPage(key, text, code, raised) {
  const guides = new Map(raised.flatMap(({ name }) => GUIDES[name] ?? []).map(([title, to]) => [to, title]));
  const lines = [
    '---',
    'sidebar: false',
    'aside: false',
    'pageClass: error',
    'prev: false',
    'next: false',
    '---',
    '',
    `# ${key}`,
    '',
  ];
  if (text) lines.push(...remedy(text), '');
  if (code) lines.push(`\`${key}\` is a code of \`${code.name}\`. ${code.when}`, '');
  if (raised.length > 0) {
    lines.push('| Class | Code | The same call may succeed later |', '|---|---|---|');
    for (const { name, codes, retryable } of raised) {
      const shown =
        codes.length > 8
          ? `${codes.length} codes: [table](../../errors.md#codes)`
          : codes.map((each) => `\`${each}\``).join(', ');
      lines.push(`| \`${name}\` | ${shown} | ${retryable} |`);
    }
    lines.push('');
  }
  lines.push('## Read on', '');
  for (const [to, title] of guides) lines.push(`- [${title}](../../${to})`);
  lines.push('- [Using errors](../../reference/errors.md): tell errors apart, show them, replace their texts');
  lines.push('- [Table of errors](../../errors.md): every class, code and text');
  return `${lines.join('\n')}\n`;
}

/** The text as readers meet it in a message. Names in braces stand for values. */
function remedy(text) {
  const people = /^(user-|type-)/;
  const quoted = bare(text);
  return [
    'The message:',
    '',
    '```text',
    quoted,
    '```',
    ...(people.test(text) ? [] : ['', 'Names in braces stand for the values of your case; `error.params` has them.']),
  ];
}

/** The classes that the source makes with each key. */
function classesByKey(classes) {
  const names = classes.map(({ name }) => name).join('|');
  const created = new RegExp(`new (${names})\\(\\s*(?:'[\\w-]+',\\s*)?'([\\w-]+)'`, 'g');
  const found = new Map();
  for (const name of readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    for (const [, thrown, key] of readFileSync(path.join(root, 'src', name), 'utf8').matchAll(created))
      found.set(key, new Set([...(found.get(key) ?? []), thrown]));
  }
  return found;
}
