// Writes pages again while `npm run docs:dev` runs, when a file that they are made of has changed. VitePress then shows them anew.
import { watch } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** Milliseconds without a change before pages are written: editors save a file in several steps. */
const QUIET = 100;

/**
 * Calls the functions of `make` after changes: `pages` for files of docs/, site/pages and the top folder, `comments` for the source,
 * `results` for the benchmark. A mistake in a file is printed, and the next change tries again. Returns a function that stops it.
 */
export function followChanges(make) {
  const timers = new Map();
  const running = new Map();
  const run = async (name) => {
    // Two runs at once would write the same files.
    await running.get(name);
    const begun = Date.now();
    try {
      await make[name]();
      console.log(`${name} written again in ${Date.now() - begun} ms`);
    } catch (error) {
      console.error(error.message);
    }
  };
  const changed = (name) => {
    clearTimeout(timers.get(name));
    timers.set(
      name,
      setTimeout(() => running.set(name, run(name)), QUIET),
    );
  };
  const follow = (folder, name, { recursive = true, isMeant = () => true } = {}) =>
    watch(path.join(root, folder), { recursive }, (_, file) => file && isMeant(file) && changed(name));
  const watchers = [
    follow('docs', 'pages'),
    follow('site/pages', 'pages'),
    follow('.', 'pages', { recursive: false, isMeant: (file) => file.endsWith('.md') }),
    follow('src', 'comments', { isMeant: (file) => file.endsWith('.ts') }),
    follow('bench', 'results', { recursive: false, isMeant: (file) => file === 'results.json' }),
  ];
  return () => {
    for (const watcher of watchers) watcher.close();
    for (const timer of timers.values()) clearTimeout(timer);
  };
}
