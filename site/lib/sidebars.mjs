// The lists at the side of pages. They follow the tables of docs/README.md, so that a page is listed once.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { tableBelow } from './markdown.mjs';
import { content, root } from './paths.mjs';

const documents = readFileSync(path.join(root, 'docs/README.md'), 'utf8');

/** The links in the first column of a table of docs/README.md. */
function linksOf(heading) {
  return tableBelow(documents, heading).flatMap(([cell]) =>
    [...cell.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text, to]) => {
      const link = to.startsWith('../examples/') ? `/code/${to.slice(3)}` : `/${to.replace(/\.md$/, '')}`;
      return { text: text.replaceAll('`', ''), link };
    }),
  );
}

const isBinding = ({ text }) => /^(Bindings|Show it in|Next|TanStack|AG Grid|MUI|React.Admin|Refine)/i.test(text);

/** The list of each part of the site. */
export function sidebars() {
  const guides = linksOf('Guides');
  const reference = linksOf('Reference');
  const isDialect = ({ link }) => link.startsWith('/dialects/');
  const isError = ({ link }) => link === '/errors' || link === '/reference/errors';
  const guide = [
    { text: 'Guides by task', items: guides.filter((item) => !isBinding(item)) },
    { text: 'Frameworks and grids', items: guides.filter(isBinding) },
    { text: 'Examples to copy', items: linksOf('Examples') },
    { text: 'About the project', items: [...linksOf('About the project'), ...PROJECT] },
  ];
  const lookUp = [
    { text: 'Reference', items: reference.filter((item) => !isDialect(item) && !isError(item)) },
    { text: 'Errors', items: reference.filter(isError) },
    { text: 'Dialects', items: reference.filter(isDialect) },
    { text: 'Entries', items: [{ text: 'API of each entry', link: '/api/' }] },
  ];
  const inReference = Object.fromEntries(
    [...reference, { link: '/performance' }]
      .filter(({ link }) => !link.startsWith('/guide/'))
      .map(({ link }) => [link, lookUp]),
  );
  return { ...inReference, '/reference/': lookUp, '/dialects/': lookUp, ...apiSidebars(), '/': guide };
}

const PROJECT = [
  { text: 'Overview', link: '/overview' },
  { text: 'Performance', link: '/performance' },
  { text: 'Changes', link: '/project/changelog' },
  { text: 'Contributing', link: '/project/contributing' },
  { text: 'Security', link: '/project/security' },
];

const KINDS = {
  classes: 'Classes',
  functions: 'Functions',
  variables: 'Constants',
  interfaces: 'Interfaces',
  'type-aliases': 'Types',
};

/** A list for each entry of the package: its pages, and the other entries. All pages in one list would make each page ten times as large. */
function apiSidebars() {
  const folder = path.join(content, 'api');
  const entries = entriesOf(folder);
  const others = { text: 'Entries', items: entries.map((entry) => ({ text: entry, link: `/api/${entry}/` })) };
  const lists = entries.map((entry) => {
    const groups = Object.entries(KINDS).flatMap(([kind, text]) => {
      // Interfaces and types of the main entry are many; its page lists them.
      if (entry === 'repose' && !/^(classes|functions|variables)$/.test(kind)) return [];
      const names = pagesOf(path.join(folder, entry, kind));
      const items = names.map((name) => ({ text: name, link: `/api/${entry}/${kind}/${name}` }));
      return items.length > 0 ? [{ text, items }] : [];
    });
    return [`/api/${entry}/`, [{ text: entry, link: `/api/${entry}/` }, ...groups, others]];
  });
  return { ...Object.fromEntries(lists), '/api/': [others] };
}

/** `repose`, and the entries below it. */
function entriesOf(folder) {
  const inner = readdirSync(path.join(folder, 'repose'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !(entry.name in KINDS) && entry.name !== 'namespaces')
    .map(({ name }) => `repose/${name}`);
  return ['repose', ...inner.sort()];
}

function pagesOf(folder) {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.slice(0, -3))
      .sort();
  } catch {
    return [];
  }
}
