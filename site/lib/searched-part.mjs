// The part of a page that a search looks at. The index of the site has at most 400 kB, because a browser loads it whole.
import { COMMON } from './common-words.mjs';
import { withSearchWords } from './search-words.mjs';

/** Pages that a search finds by their title only: guides answer questions, and these are looked up by name. */
const NAMED = /^(e|api|code|project)\//;
/** Pages that a search finds by their title and first paragraph only. */
const LOOKED_UP = /^(performance|reference\/(benchmarks|options))/;
/** Pages that a search leaves out: it finds their members in the pages of the API. */
const LEFT_OUT = /^reference\/members\//;
/** Pages of whose sections a search reads two paragraphs; of the others it reads the first one. */
const GUIDES = /^guide\//;
/** Types: a search for one finds the list of its entry, which leads to it. */
const TYPES = /^api\/.*\/(type-aliases|interfaces)\//;
const ENTRIES = /^api\/.+\/index\.md$/;

/** The Markdown of a page that is put into the index, with words that are not on the page. */
export function searchedPart(source, place) {
  if (LEFT_OUT.test(place)) return '';
  if (TYPES.test(place)) return '';
  if (NAMED.test(place)) return [titleOf(source), ...(ENTRIES.test(place) ? typesIn(source) : [])].join('\n\n');
  // What stands above a page says how it is shown.
  const [above = ''] = /^---\n[\s\S]*?\n---\n/.exec(source) ?? [];
  const body = source.slice(above.length);
  const text = withoutFiller(LOOKED_UP.test(place) ? beginningOf(body) : body);
  return above + withSearchWords(place, beginningsOf(text, GUIDES.test(place) ? 2 : 1));
}

function titleOf(source) {
  return /^# .*$/m.exec(source)?.[0] ?? '';
}

/** The names of the types that the page of an entry lists. */
function typesIn(source) {
  return [...source.matchAll(/\[(\w+)\]\((?:type-aliases|interfaces)\//g)].map(([, name]) => name);
}

/** The first heading of a page with the text up to the next one. */
function beginningOf(source) {
  const next = source.indexOf('\n## ');
  return next < 0 ? source : source.slice(0, next);
}

/** The most letters of a paragraph or a table that a search reads. */
const LONGEST = 600;

/** The headings of a page, each with its first paragraphs. */
function beginningsOf(source, count) {
  const sections = source.split(/^(?=#{1,6} )/m).map((section) => section.split(/\n\s*\n/).slice(0, count + 1));
  return sections.flatMap((parts) => parts.map((part) => part.slice(0, LONGEST))).join('\n\n');
}

/** The text without blocks of code, and without the words that every page has. Headings stay as they are: the results show them. */
function withoutFiller(source) {
  const lines = source.replace(/^( *)```[\s\S]*?^\1```$/gm, '').split('\n');
  return lines.map((line) => (line.startsWith('#') ? line : line.replace(/[a-z]+/gi, dropped))).join('\n');
}

function dropped(word) {
  return COMMON.has(word.toLowerCase()) ? '' : word;
}
