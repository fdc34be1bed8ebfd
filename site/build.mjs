// Makes the site of the pages in docs/, the TSDoc of the source and the results of the benchmark.
// usage: node site/build.mjs [dev | preview | api]; without an argument it builds the site in site/dist, and checks it. `dev` shows it
// while it is written, `api` writes the pages of the source only.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { ensurePackages } from '../scripts/ensure-packages.mjs';
import { content, root, site } from './lib/paths.mjs';

/** Without it, a quarter of the time of a build goes into collecting garbage. */
const FEWER_COLLECTIONS = ['--max-semi-space-size=64'];

const [command = 'build'] = process.argv.slice(2);

if (command === 'api') {
  const { writeApiPages } = await import('./lib/api-pages.mjs');
  await writeApiPages({ cleanOutputDir: false });
  process.exit();
}
if (command !== 'preview') {
  // TypeDoc reads the types of the frameworks, which only their tests install.
  for (const folder of ['site', 'test/frameworks']) ensurePackages(folder);
  await run(root, 'scripts/ensure-built.mjs');
  await writeContent();
}
if (command === 'dev') {
  const { followChanges } = await import('./lib/follow-changes.mjs');
  followChanges(makers());
}
// VitePress links `vue` into the packages of the folder in which it runs.
await run(site, ...FEWER_COLLECTIONS, 'node_modules/vitepress/bin/vitepress.js', command);
if (command === 'dev') process.exit();
if (command === 'build') {
  const { copyMarkdown } = await import('./lib/copy-pages.mjs');
  const { protectPages } = await import('./lib/policy.mjs');
  const { checkSite } = await import('./lib/check-site.mjs');
  copyMarkdown();
  console.log(`${protectPages()} pages have a policy of content`);
  const { problems, pages, links } = checkSite();
  for (const problem of problems) console.error(problem);
  console.log(`${pages} pages, ${links} links, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}

/** What `docs:dev` writes again, by what has changed. */
function makers() {
  return {
    async pages() {
      const { copyPages } = await import('./lib/copy-pages.mjs');
      const { writeErrorPages } = await import('./lib/error-pages.mjs');
      copyPages();
      writeErrorPages();
    },
    // In a process of its own, because TypeDoc takes seconds, and reads the source once.
    comments: () => once(spawn(process.execPath, ['site/build.mjs', 'api'], { cwd: root, stdio: 'inherit' }), 'exit'),
    async results() {
      const { writePerformancePage } = await import('./lib/performance-page.mjs');
      writePerformancePage();
    },
  };
}

/** Writes all pages as VitePress reads them. */
async function writeContent() {
  const { copyPages } = await import('./lib/copy-pages.mjs');
  const { writeErrorPages } = await import('./lib/error-pages.mjs');
  const { writePerformancePage } = await import('./lib/performance-page.mjs');
  const { writeApiPages } = await import('./lib/api-pages.mjs');
  rmSync(content, { recursive: true, force: true });
  copyPages();
  console.log(`${writeErrorPages()} pages about errors, ${writePerformancePage()} results of the benchmark`);
  for (const { name, count } of await writeApiPages()) console.log(`${name}: ${count} exports`);
}

/** Runs a script in a folder, with options of Node before its name. Ends this process if the script fails. */
async function run(folder, ...args) {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'inherit' });
  const [status] = await once(child, 'exit');
  if (status !== 0) process.exit(status ?? 1);
}
