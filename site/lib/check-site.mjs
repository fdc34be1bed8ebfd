// Checks the built site: each link leads to a page or file, and each anchor to an element of that page. Nothing comes from other hosts.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { address, built } from './paths.mjs';

/** The problems of all pages, each as a line. */
export function checkSite() {
  const names = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const pages = new Map(names.map((name) => [name.replaceAll('\\', '/'), pageOf(path.join(built, name))]));
  const problems = [];
  let links = 0;
  for (const [name, { targets, loaded }] of pages) {
    for (const url of loaded) if (/^(https?:)?\/\//.test(url)) problems.push(`${name} loads ${url} from another host`);
    for (const target of targets) {
      links += 1;
      const problem = problemOf(name, target, pages);
      if (problem) problems.push(`${name}: ${problem}`);
    }
  }
  return { problems, pages: pages.size, links };
}

/** The links of a page, what it loads, and the places that links can lead to. */
function pageOf(file) {
  const html = readFileSync(file, 'utf8');
  const all = (pattern) => [...html.matchAll(pattern)].map(([, value]) => value.replaceAll('&amp;', '&'));
  return {
    targets: all(/<a\b[^>]*\bhref="([^"]*)"/g),
    loaded: [...all(/<(?:script|img)\b[^>]*\bsrc="([^"]*)"/g), ...all(/<link\b[^>]*\bhref="([^"]*)"/g)],
    ids: new Set(all(/\bid="([^"]*)"/g)),
  };
}

/** Why a link leads nowhere, or undefined. */
function problemOf(from, target, pages) {
  const own = target.startsWith(address) ? target.slice(address.length - 1) : target;
  if (/^[a-z]+:/.test(own)) return undefined;
  const [place, anchor] = own.split('#');
  const joined =
    place === '' ? from : place.startsWith('/') ? place.slice(1) : path.posix.join(path.posix.dirname(from), place);
  const found = fileOf(decodeURI(joined));
  if (!found) return `${target} does not exist`;
  const page = pages.get(found);
  if (anchor && page && !page.ids.has(decodeURIComponent(anchor))) return `${target} names no place of the page`;
  return undefined;
}

/** The file that a web server gives for a path. */
function fileOf(place) {
  const file = path.join(built, place);
  if (!existsSync(file)) return existsSync(`${file}.html`) ? `${place}.html` : undefined;
  if (!statSync(file).isDirectory()) return place;
  const index = path.posix.join(place, 'index.html');
  return existsSync(path.join(built, index)) ? index : undefined;
}
