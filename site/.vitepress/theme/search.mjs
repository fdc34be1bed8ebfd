// How a search of the site counts. Set by the theme: functions in the configuration would be made of texts in the page, which its policy refuses.

import { COMMON } from '../../lib/common-words.mjs';

/** Words of nearly every page and question: the others say what is meant. */
const VAGUE = new Set(
  'all another answer answers app application backend call change changed changes code data edit form list look make name names new object one other page record records request requests row rows save saved send sent server show shows user value values way work'.split(
    ' ',
  ),
);

/** How much a result counts, by the place of its page: guides answer questions, and code is rarely meant. */
const WEIGHTS = [
  ['/#', 0.3],
  // They repeat the guides in the words of other libraries, and are meant by their names.
  ['/guide/ag-grid', 1],
  ['/guide/ext-js', 1],
  ['/guide/mui-grid', 1],
  ['/guide/react-admin', 1],
  ['/guide/refine', 1],
  ['/guide/tanstack-table', 1],
  ['/guide/', 2],
  ['/reference/', 1.2],
  ['/api/', 0.8],
  ['/dialects/', 0.8],
  ['/errors', 0.6],
  ['/e/', 0.5],
  ['/servers', 0.5],
  ['/documents', 0.4],
  ['/overview', 0.4],
  ['/project/', 0.3],
  ['/code/', 0.3],
];

/** Sections that many pages have: their headings say nothing about what they hold. */
const SAME = /#(limits|next|details|what-happened|changes|use|options)$/;

export const searchOptions = {
  // A page that has more of the words stands before one that has fewer: a sentence finds something as well.
  combineWith: 'OR',
  boost: { title: 2, titles: 1, text: 1 },
  boostTerm: (term) => (VAGUE.has(term) ? 0.4 : 1),
  processTerm: (term) => {
    const word = term.toLowerCase();
    return COMMON.has(word) ? null : word;
  },
  prefix: (term) => term.length > 2,
  // A number with another digit is another number.
  fuzzy: (term) => (term.length > 4 && !/\d/.test(term) ? 0.2 : false),
  boostDocument: (id, _, { titles }) =>
    (WEIGHTS.find(([begins]) => id.startsWith(begins))?.[1] ?? 1) *
    (titles.length === 0 ? 1.5 : 1) *
    (SAME.test(id) ? 0.4 : 1),
};
