// Makes the site of the pages in docs/, the TSDoc of the source and the results of the benchmark.
// usage: node site/build.mjs [dev | preview]; without an argument it builds the site in site/dist, and checks it.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { ensurePackages } from '../scripts/ensure-packages.mjs';
import { content, root, site } from './lib/paths.mjs';

const [command = 'build'] = process.argv.slice(2);

if (command !== 'preview') {
  // TypeDoc reads the types of the frameworks, which only their tests install.
  for (const folder of ['site', 'test/frameworks']) ensurePackages(folder);
  run(root, 'scripts/ensure-built.mjs');
  await writeContent();
}
// VitePress links `vue` into the packages of the folder in which it runs.
run(site, 'node_modules/vitepress/bin/vitepress.js', command);
if (command === 'build') {
  const { protectPages } = await import('./lib/policy.mjs');
  const { checkSite } = await import('./lib/check-site.mjs');
  console.log(`${protectPages()} pages have a policy of content`);
  const { problems, pages, links } = checkSite();
  for (const problem of problems) console.error(problem);
  console.log(`${pages} pages, ${links} links, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
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

/** Runs a script in a folder. Ends this process if the script fails. */
function run(folder, script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
