// The pages that the project has as files: docs/, and the files of its top folder that people read.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mapProse, tableBelow, withoutLinks } from './markdown.mjs';
import { built, content, root, site } from './paths.mjs';

/** Files outside of docs/ that have a place on the site. */
const PLACES = new Map([
  ['README.md', 'overview.md'],
  ['docs/README.md', 'documents.md'],
  ['CHANGELOG.md', 'project/changelog.md'],
  ['CONTRIBUTING.md', 'project/contributing.md'],
  ['SECURITY.md', 'project/security.md'],
  ['test/frameworks/README.md', 'project/frameworks.md'],
  ['test/servers/README.md', 'project/servers.md'],
]);

/** Endings of files that are shown as code, with the name of their language. */
const LANGUAGES = {
  ts: 'ts',
  tsx: 'tsx',
  js: 'js',
  mjs: 'js',
  vue: 'vue',
  svelte: 'svelte',
  html: 'html',
  css: 'css',
  json: 'json',
};

/** Whether a page is for people who change Repose: the site does not show it. */
const isInside = (file) => file.startsWith('docs/inside/');

/** The path in `content` of a Markdown file or picture of the project, or undefined if the site does not have it. */
export function placeOf(file) {
  if (isInside(file)) return undefined;
  return PLACES.get(file) ?? (/^docs\/.*\.(md|webp)$/.test(file) ? file.slice('docs/'.length) : undefined);
}

/** Writes all of them. Files and folders of code that they link to become pages as well. */
export function copyPages() {
  const linked = new Set();
  const descriptions = readDescriptions();
  const docs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((file) => !isInside(file));
  for (const file of [...PLACES.keys(), ...docs]) {
    const place = placeOf(file);
    const text = readFileSync(path.join(root, file), 'utf8');
    const moved = linkKeys(place, moveLinks(text, file, place, linked));
    const description = descriptions.get(place);
    writePage(place, description ? `---\ndescription: ${JSON.stringify(description)}\n---\n\n${moved}` : moved);
  }
  for (const target of linked) writePage(codePlaceOf(target), codePage(target));
  cpSync(path.join(root, 'docs/pictures'), path.join(content, 'pictures'), { recursive: true });
  for (const name of readdirSync(path.join(site, 'pages')))
    writePage(name, withFirstScreen(readFileSync(path.join(site, 'pages', name), 'utf8')));
}

/** A page with the first screen of README.md in the place of its mark. */
function withFirstScreen(text) {
  const [screen] = /^```tsx?$[\s\S]*?^```$/m.exec(readFileSync(path.join(root, 'README.md'), 'utf8')) ?? [];
  if (!screen) throw new Error('README.md has no first screen');
  return text.replace('<!-- the first screen of README.md -->', () => screen);
}

/** Puts the Markdown and the pictures of each page beside the built page, for assistants, where nobody has done so yet. */
export function copyMarkdown() {
  cpSync(content, built, { recursive: true, force: false });
}

/** The second column of the tables of docs/README.md, by the place of the page that the first column names. */
function readDescriptions() {
  const index = readFileSync(path.join(root, 'docs/README.md'), 'utf8');
  const rows = ['Guides', 'Reference', 'About the project'].flatMap((heading) => tableBelow(index, heading));
  return new Map(rows.map(([page, text]) => [/\]\(([^)]+)\)/.exec(page)?.[1], withoutLinks(text.replaceAll('`', ''))]));
}

/** Writes a page of the site, unless it is written like that already: VitePress would show it anew. */
export function writePage(place, text) {
  const file = path.join(content, place);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Lets the key of each text in the table of errors lead to the page of the error. */
function linkKeys(place, text) {
  if (place !== 'errors.md') return text;
  const [codes, texts] = text.split('\n## Texts\n');
  return `${codes}\n## Texts\n${texts.replace(/^\| `([\w-]+)` \|/gm, '| [`$1`](./e/$1/index.md) |')}`;
}

/**
 * Lets the relative links of a file lead to the same things from its place on the site. Adds links to code to `linked`. Links to pages that
 * the site does not show become words.
 */
function moveLinks(text, file, place, linked) {
  const folder = path.posix.dirname(file);
  return mapProse(text, (line) =>
    line.replace(/(?:\[([^[\]]*))?\]\(([^)\s#]+)(#[^)\s]*)?\)/g, (whole, words, target, anchor = '') => {
      if (/^[a-z]+:/.test(target)) return whole;
      const to = path.posix.join(folder, target).replace(/\/$/, '');
      if (words !== undefined && isInside(to)) return words;
      let found = placeOf(to);
      if (!found && existsSync(path.join(root, to))) {
        linked.add(to);
        found = codePlaceOf(to);
      }
      if (!found) throw new Error(`${file} links to ${target}, which does not exist`);
      return `${words === undefined ? '' : `[${words}`}](${path.posix.relative(path.posix.dirname(place), found)}${anchor})`;
    }),
  );
}

const codePlaceOf = (target) => `code/${target.replace(/\.md$/, '')}.md`;

/** A page that shows a file, or each file of a folder. */
function codePage(target) {
  const whole = path.join(root, target);
  if (statSync(whole).isFile()) return `# ${target}\n\n${fenced(whole, target)}`;
  const files = readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !/node_modules|dist/.test(entry.parentPath) && entry.name !== 'package-lock.json',
    )
    .map((entry) => path.relative(whole, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
  const readme = files.includes('README.md') ? readFileSync(path.join(whole, 'README.md'), 'utf8') : `# ${target}\n`;
  const shown = files.filter((file) => path.extname(file).slice(1) in LANGUAGES);
  const parts = shown.map((file) => `## ${file}\n\n${fenced(path.join(whole, file), file)}`);
  return [withoutPaths(readme).trimEnd(), ...parts].join('\n\n');
}

function fenced(file, name) {
  const text = readFileSync(file, 'utf8').trimEnd();
  const language = LANGUAGES[path.extname(name).slice(1)] ?? 'text';
  return `\`\`\`\`${language}\n${text}\n\`\`\`\`\n`;
}

/** A text whose relative links are words only, because their targets are not part of the site. */
function withoutPaths(text) {
  return mapProse(text, (line) => line.replace(/\[([^\]]+)\]\((?![a-z]+:)[^)]*\)/g, '$1'));
}
