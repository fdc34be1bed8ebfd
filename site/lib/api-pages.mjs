// A page for each class, function, interface and type of the package, from its TSDoc.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Application, Comment, CommentTag, Converter, ReflectionKind } from 'typedoc';
import { entryList } from './entry-list.mjs';
import { completeEntries } from './entry-pages.mjs';
import { titleOf } from './markdown.mjs';
import { content, root, site } from './paths.mjs';

/** The options of TypeDoc and of its writer of Markdown. */
const OPTIONS = {
  name: 'API',
  tsconfig: path.join(site, 'tsconfig.json'),
  plugin: ['typedoc-plugin-markdown'],
  router: 'member',
  entryFileName: 'index',
  readme: 'none',
  // `npm run test:types` checks the source.
  skipErrorChecking: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  disableSources: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  sort: ['source-order'],
  logLevel: 'Warn',
  validation: { notExported: false, invalidLink: true, invalidPath: true, rewrittenLink: true, notDocumented: false },
};

/** The pages with programs and screens that use an entry. The main entry has most of the documents. */
const GUIDES = {
  'ag-grid': 'guide/ag-grid',
  angular: 'guide/angular',
  devtools: 'guide/inspector',
  dialects: 'guide/dialects',
  extend: 'reference/extensions',
  groups: 'reference/groups',
  history: 'guide/undo',
  live: 'reference/live',
  messages: 'reference/errors',
  'mui-grid': 'guide/mui-grid',
  namespace: 'guide/ext-js',
  outbox: 'guide/offline',
  react: 'guide/react',
  'react-admin': 'guide/react-admin',
  refine: 'guide/refine',
  solid: 'guide/solid',
  ssr: 'guide/server-rendering',
  svelte: 'guide/svelte',
  'tanstack-query': 'guide/tanstack-query',
  'tanstack-table': 'guide/tanstack-table',
  testing: 'guide/testing',
  tree: 'guide/trees',
  vue: 'guide/vue',
  xml: 'reference/xml',
};

/** Ends each page of an entry with a link to its guide. */
function linkGuides() {
  for (const [entry, guide] of Object.entries(GUIDES)) {
    const folder = path.join(content, 'api/repose', entry);
    const title = titleOf(readFileSync(path.join(root, `docs/${guide}.md`), 'utf8'));
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    for (const name of names) {
      const file = path.join(folder, name);
      const to = path.relative(path.dirname(file), path.join(content, `${guide}.md`)).replaceAll('\\', '/');
      appendFileSync(file, `\n## Read on\n\n- [${title}](${to})\n`);
    }
  }
}

/** The page that leads to each entry. */
function startPage() {
  return [
    '# API',
    'Each entry is imported by itself: a bundle holds what it imports. Most applications need `repose`, and the entry of their framework.',
    entryList(''),
    '[Start in five minutes](../guide/start.md) shows the main classes in one program; [Options](../reference/options.md) has all options in one page.\n',
  ].join('\n\n');
}

/** What a production build leaves out. */
const BUILDS = 'reference/errors.md#development-and-production-builds';
/** Errors about options, which the production build does not look for. */
const ABOUT_OPTIONS = /\b(?:wrong|invalid)\s+options?\b/;

/** Says below the errors about options that a production build looks for few of them. */
function noteBuilds() {
  const folder = path.join(content, 'api');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  for (const name of names) {
    const file = path.join(folder, name);
    const to = path.relative(path.dirname(file), path.join(content, BUILDS)).replaceAll('\\', '/');
    const note = `A [production build](${to}) looks for few mistakes in options: find them in development.`;
    const page = readFileSync(file, 'utf8');
    const noted = page.replace(/^(#+ Throws\n\n)((?:(?!#+ ).*\n?)*)/gm, (whole, heading, text) =>
      ABOUT_OPTIONS.test(text) ? `${heading}${text.trimEnd()}\n\n${note}\n\n` : whole,
    );
    if (noted !== page) writeFileSync(file, noted);
  }
}

/** Writes the pages, and returns how many there are by entry. `options` are added to those of TypeDoc. */
export async function writeApiPages(options = {}) {
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const entries = Object.keys(exports).filter((name) => name !== './package.json');
  const fileOf = (entry) => `${entry === '.' ? 'index' : entry.slice(2)}`;
  const app = await Application.bootstrapWithPlugins({
    ...OPTIONS,
    ...options,
    entryPoints: entries.map((entry) => path.join(root, `src/${fileOf(entry)}.ts`)),
    out: path.join(content, 'api'),
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? [])
      if (module.kind === ReflectionKind.Module)
        module.name = module.name === 'index' ? 'repose' : `repose/${module.name}`;
    for (const reflection of Object.values(project.reflections)) {
      if (isInternal(reflection)) project.removeReflection(reflection);
      else if (reflection.comment) moveErrors(reflection.comment);
    }
  });
  const project = await app.convert();
  if (!project) throw new Error('TypeDoc could not read the source');
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('TypeDoc has found mistakes in the comments');
  completeEntries(path.join(content, 'api/repose'));
  noteBuilds();
  linkGuides();
  writeFileSync(path.join(content, 'api/index.md'), startPage());
  return (project.children ?? []).map((module) => ({ name: module.name, count: module.children?.length ?? 0 }));
}

/** A protected member without a comment is for the package itself, not for subclasses of an application. */
function isInternal(reflection) {
  const { flags, comment, signatures } = reflection;
  return flags?.isProtected && !comment && !signatures?.some((each) => each.comment);
}

/** Makes a part of its own, "Throws", of the sentences of a comment that begin with "Throws" or "Rejects". */
function moveErrors(comment) {
  if (comment.blockTags.some(({ tag }) => tag === '@throws')) return;
  const kept = [];
  const thrown = [];
  for (const sentence of sentencesOf(comment.summary)) (isError(sentence) ? thrown : kept).push(sentence);
  if (thrown.length === 0) return;
  comment.summary = kept.flat();
  const tag = new CommentTag('@throws', Comment.cloneDisplayParts(thrown.flat()));
  const example = comment.blockTags.findIndex((each) => each.tag === '@example');
  comment.blockTags.splice(example < 0 ? comment.blockTags.length : example, 0, tag);
}

const isError = ([first]) => first?.kind === 'text' && /^\s*(Throws|Rejects)\b/.test(first.text);

/** The parts of a text, sentence by sentence. */
function sentencesOf(parts) {
  const sentences = [[]];
  for (const part of parts) {
    if (part.kind !== 'text') {
      sentences.at(-1).push(part);
      continue;
    }
    const [first, ...more] = part.text.split(/(?<=[.:]\s)(?=[A-Z`])/);
    sentences.at(-1).push({ ...part, text: first });
    for (const text of more) sentences.push([{ ...part, text }]);
  }
  return sentences;
}
