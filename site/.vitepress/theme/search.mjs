// How a search of the site counts. Set by the theme: functions in the configuration would be made of texts in the page, which its policy refuses.

/** Words that every page has. A question is found by its other words. */
const COMMON = new Set(
  'a an and are as at be because but by can do does for from get has have how i if in into is it its me my of on or our please so than that the their them then there this to use want we what when where which who why will with without you your'.split(
    ' ',
  ),
);

/** How much a result counts, by the place of its page: guides answer questions, and code is rarely meant. */
const WEIGHTS = [
  ['/#', 0.3],
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
  boost: { title: 4, titles: 2, text: 1 },
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
