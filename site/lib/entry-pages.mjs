// Makes the pages of each entry complete: what it shares with other entries has a page of its own there, and each page says what to import.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mapProse, withoutLinks } from './markdown.mjs';

/** The headings of the kinds of pages, by their folders. */
export const KINDS = {
  classes: 'Classes',
  functions: 'Functions',
  variables: 'Variables',
  interfaces: 'Interfaces',
  'type-aliases': 'Type Aliases',
};

/** The order of the parts of the page of an entry. */
const ORDER = [
  'Classes',
  'Functions',
  'Variables',
  'Interfaces',
  'Type Aliases',
  'Namespaces',
  'The same as in the main entry',
  'Other names',
];
/** A part of that page: another name of something. */
const OTHER_NAME = /### ([\w$]+)\n\nRenames and re-exports \[([^\]]+)\]\(([^)]+)\)\n*(?:\*\*\*\n*)?/g;

/** A part of the page of an entry: a name that another entry has a page for. */
const REFERENCE = /### ([\w$]+)\n\nRe-exports \[[^\]]+\]\(([^)]+)\)\n*(?:\*\*\*\n*)?/g;

/** Completes all pages below `folder`, which has the pages of the main entry and a folder for each other one. */
export function completeEntries(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
    .filter((each) => each.isDirectory() && !(each.name in KINDS) && each.name !== 'namespaces')
    .map(({ name }) => name);
  for (const entry of entries) completeEntry(folder, entry);
  for (const entry of ['', ...entries]) {
    describeNames(folder, entry);
    finishPages(folder, entry);
  }
}

function completeEntry(folder, entry) {
  const index = path.join(folder, entry, 'index.md');
  const text = readFileSync(index, 'utf8');
  const references = [...text.matchAll(REFERENCE)].map(([, name, link]) => ({
    name,
    place: path.posix.join(entry, link),
  }));
  if (references.length === 0) return;
  // The main entry is where most people look things up, so its pages have no copies.
  const isOfMain = ({ place }) => place.split('/')[0] in KINDS;
  const shared = references.filter((each) => !isOfMain(each));
  for (const { place } of shared) {
    const copy = path.posix.join(entry, ...place.split('/').slice(1));
    mkdirSync(path.join(folder, path.dirname(copy)), { recursive: true });
    writeFileSync(path.join(folder, copy), readFileSync(path.join(folder, place), 'utf8'));
  }
  const originals = new Map(shared.map(({ place }) => [path.posix.join(entry, ...place.split('/').slice(1)), place]));
  for (const place of placesOf(folder, entry)) {
    const original = originals.get(place) ?? place;
    const page = readFileSync(path.join(folder, place), 'utf8');
    writeFileSync(path.join(folder, place), linkWithin(page, { original, place, entry, folder }));
  }
  writeFileSync(index, withLists(text, { entry, shared, main: references.filter(isOfMain) }));
}

/** The pages of an entry. */
function placesOf(folder, entry) {
  return Object.keys(KINDS).flatMap((kind) =>
    namesIn(path.join(folder, entry, kind)).map((name) => path.posix.join(entry, kind, name)),
  );
}

function namesIn(folder) {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.md'));
  } catch {
    return [];
  }
}

/** Lets the links of a page, which was written for the place `original`, lead to pages of its own entry where there are such pages. */
function linkWithin(page, { original, place, entry, folder }) {
  const own = new Set(placesOf(folder, entry));
  return mapProse(page, (line) =>
    line.replace(/\]\(([^)\s#]+\.md)(#[^)\s]*)?\)/g, (_, link, anchor = '') => {
      const target = path.posix.join(path.posix.dirname(original), link);
      const [, ...rest] = target.split('/');
      const sibling = path.posix.join(entry, ...rest);
      const to = rest.length === 2 && own.has(sibling) ? sibling : target;
      return `](${path.posix.relative(path.posix.dirname(place), to)}${anchor})`;
    }),
  );
}

/** A page without the types of other entries that extend its type: they say nothing to readers of this one. */
function withoutExtensions(page) {
  return page.replace(/^## Extended by\n\n((?:- .*\n)+)\n?/m, (_, items) => {
    const own = items.split('\n').filter((item) => item && !/\]\(\.\.\/\.\.\/[\w-]+\/[\w-]+\//.test(item));
    return own.length > 0 ? `## Extended by\n\n${own.join('\n')}\n\n` : '';
  });
}

/** The page of an entry with lists instead of a heading for each name of another entry. */
function withLists(text, { entry, shared, main }) {
  const [head, ...sections] = text.replace(REFERENCE, '').split(/^## /m);
  const lists = new Map(
    sections.map((section) => {
      const [heading, ...lines] = section.split('\n');
      return [heading, lines.filter(Boolean)];
    }),
  );
  lists.delete('References');
  for (const { name, place } of shared) {
    const [, kind, file] = place.split('/');
    const items = lists.get(KINDS[kind]) ?? [];
    items.push(`- [${name}](${kind}/${file})`);
    lists.set(KINDS[kind], items);
  }
  if (main.length > 0)
    lists.set(
      'The same as in the main entry',
      main.map(({ name, place }) => `- [${name}](${path.posix.relative(entry, place)})`),
    );
  const parts = [...lists].map(([heading, items]) => `## ${heading}\n\n${items.join('\n')}\n`);
  return [`${head.trimEnd()}\n`, ...parts].join('\n');
}

/** Adds to each name on the page of an entry the first sentence of its own page. Classes and functions stand first. */
function describeNames(folder, entry) {
  const index = path.join(folder, entry, 'index.md');
  const text = readFileSync(index, 'utf8')
    .replace(OTHER_NAME, '- [$1]($3): Another name of `$2`\n')
    .replace('## References\n', `## ${ORDER.at(-1)}\n`);
  const [head, ...sections] = text.split(/^## /m);
  const rankOf = (section) => ORDER.indexOf(section.split('\n', 1)[0]);
  const described = sections
    .sort((one, other) => rankOf(one) - rankOf(other))
    .map((section) =>
      withErrorsLast(section.trimEnd()).replace(/^- \[([^\]]+)\]\(([^)]+)\)$/gm, (item, _, link) => {
        const sentence = firstSentence(readFileSync(path.join(path.dirname(index), link), 'utf8'));
        return sentence ? `${item}: ${sentence}` : item;
      }),
    );
  writeFileSync(index, `${[head.trimEnd(), ...described].join('\n\n## ')}\n`);
}

/** A list whose errors stand at the end, because the classes that make them come first. */
function withErrorsLast(section) {
  const [heading, ...lines] = section.split('\n');
  const isError = (line) => Number(/^- \[\w+Error\]/.test(line));
  return [heading, ...lines.sort((one, other) => isError(one) - isError(other))].join('\n');
}

/** The first sentence about what a page is about, without links. A function with several signatures is told by the first of them. */
function firstSentence(page) {
  const [beginning] = page.replace('\n## Call Signature\n', '\n').split('\n## ');
  const text = beginning.split(/\n{2,}/).find((block) => !/^(?:#|```|- )/.test(block));
  const [sentence] = withoutLinks((text ?? '').replace(/\s+/g, ' ')).split(/(?<=[.:])\s(?=[A-Z`])/);
  return sentence.trim().replace(/[.:]$/, '');
}

/** Begins each page with the line that imports what it is about, and takes out what is about other entries. */
function finishPages(folder, entry) {
  const from = path.posix.join('repose', entry);
  for (const place of placesOf(folder, entry)) {
    const file = path.join(folder, place);
    const page = withoutExtensions(readFileSync(file, 'utf8'));
    const type = /^# (?:Abstract )?(?:Interface|Type Alias):/.test(page) ? ' type' : '';
    const imported = page.replace(
      /^(# [\w ]+: ([\w$]+).*)\n/,
      (_, title, name) => `${title}\n\n\`\`\`ts\nimport${type} { ${name} } from '${from}';\n\`\`\`\n`,
    );
    writeFileSync(file, imported);
  }
}
