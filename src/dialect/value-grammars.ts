import type { Misreading, ValueRules } from './value-rules.js';

// The grammar that each server reads in the texts of values, by its documentation and its code. Nothing else in this folder says which
// texts a server misreads, except for forms of `plain()`, whose grammar `form-grammar.ts` reads from the form.

/** White space and control characters at an end: Python, Ruby and Java trim different ones. */
const TRIMMED = /^[\s\p{Cc}]|[\s\p{Cc}]$/u;
/**
 * Characters that the middleware `TrimStrings` of Laravel trims (`Str::trim`): white space, those that PHP's `trim` knows, and the list
 * `Str::INVISIBLE_CHARACTERS`.
 */
const INVISIBLE =
  /(?:\u034F|\u17B4|\u17B5|[\s\p{Cc}\u00AD\u061C\u115F\u1160\u180E\u200B-\u200F\u2060-\u2065\u206A-\u206F\u2800\u3164\uFEFF\uFFA0\u{1D159}\u{1D173}-\u{1D17A}\u{E0020}])/u;
const INVISIBLE_END: RegExp = /* @__PURE__ */ new RegExp(`^${INVISIBLE.source}|${INVISIBLE.source}$`, 'u');

const EMPTY: Misreading = { part: /^$/, would: 'ignore' };
const TRIM: Misreading = { part: TRIMMED, would: 'trim' };
const LIKE: readonly Misreading[] = [{ part: /[%_\\]/, would: 'read as a wildcard of LIKE' }];

/** For servers that put the texts of text operators into LIKE as they are. */
const likeWildcards = { contains: LIKE, startsWith: LIKE, endsWith: LIKE, like: LIKE };

/** Forms of Django: empty texts are no filter, and texts are stripped. */
export const DJANGO: ValueRules = { refuse: { all: [EMPTY, TRIM] } };

/** Ransack ignores blank texts, strips the others, and leaves wildcards to databases whose escapes it does not know, such as SQLite. */
export const RANSACK_RULES: ValueRules = { refuse: { all: [EMPTY, TRIM], ...likeWildcards } };
/** Ransack with a database whose wildcards it escapes: PostgreSQL and MySQL. */
export const RANSACK_ESCAPING: ValueRules = { refuse: { all: [EMPTY, TRIM] } };

/** Querydsl of Spring leaves out conditions without a text. */
export const SPRING: ValueRules = { refuse: { all: [{ part: /^[\s\p{Cc}]*$/u, would: 'ignore' }] } };

/** Strapi puts texts into LIKE as they are. */
export const STRAPI: ValueRules = { refuse: likeWildcards };

/** Texts that Directus turns into other values before it compares. */
const DIRECTUS_WORDS: Misreading = { part: /^(true|false|null|NULL)$/, would: 'read as another value' };
const DIRECTUS_VARIABLE: Misreading = {
  part: /^\$(NOW|CURRENT_(USER|ROLE|POLICIES)).*/s,
  would: 'replace, because it is a variable of the server: set `variables: true` of the dialect to have it filled in',
};

/** Directus puts texts into LIKE as they are; `variables` says whether its variables are sent. */
export function directusRules(variables: boolean): ValueRules {
  return { refuse: { all: variables ? [DIRECTUS_WORDS] : [DIRECTUS_WORDS, DIRECTUS_VARIABLE], ...likeWildcards } };
}

/** json-server 0.17 reads the text of `_like` as a regular expression. */
export const JSON_SERVER_OLD: ValueRules = {
  escape: {
    like: /* @__PURE__ */ withBackslash(['\\', '^', '$', '.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|']),
  },
};
/** The betas of json-server 1.0 up to 1.0.0-beta.5 ignore empty texts. */
export const JSON_SERVER_BETA_3: ValueRules = { refuse: { all: [EMPTY] } };

/** Laravel trims parameters, and makes null of those that are empty then, so that the query builder drops the filter. It splits texts at commas. */
export const LARAVEL: ValueRules = {
  refuse: {
    all: [EMPTY, { part: /,/, would: 'split into a list' }, { part: INVISIBLE_END, would: 'trim' }],
  },
};
/** Texts that spatie's query builder turns into booleans. */
export const LARAVEL_WORDS: Misreading = { part: /^(true|false)$/, would: 'read as a flag' };
/** Texts that would make another operator of the sign before them. */
export const LARAVEL_SIGNS: Misreading = { part: /^[=>]/, would: 'read as a part of the operator' };

/** Redmine looks for its operators at the start of each line. */
const OPERATOR: readonly Misreading[] = [{ part: /^[!~^$*=<>]/, would: 'read as an operator' }];
const PHRASE: readonly Misreading[] = [
  { part: /"/, would: 'remove' },
  { part: /^\s|\s$/, would: 'trim' },
];
export const REDMINE: ValueRules = {
  refuse: {
    all: [
      EMPTY,
      { part: /[\r\n]/, would: 'read as the start of an operator' },
      { part: /\|/, would: 'split into a list' },
    ],
    ...{ eq: OPERATOR, ne: OPERATOR, in: OPERATOR, nin: OPERATOR },
    ...{ contains: PHRASE, like: PHRASE },
  },
};
/** References and dates have operators that are letters, such as `o` for open issues, and the user `me`. */
export const REDMINE_WORDS: Misreading = { part: /^\D+/, would: 'read as an operator or a word of its own' };

/** PocketBase closes a text at the first quote that no backslash precedes. Of several wildcards and backslashes in a row, it escapes every other one. */
export const POCKETBASE: ValueRules = {
  escape: { all: { "'": "\\'" } },
  refuse: {
    all: [{ part: /\\$/, would: 'take for an escape of the quote behind it' }],
    like: [
      { part: /%/, would: 'read as a wildcard' },
      { part: /[\\_]{2}/, would: 'escape only in part' },
    ],
  },
};

/** PostgREST reads `*` in patterns as `%`, and knows no escape for it. */
const PATTERN = /* @__PURE__ */ withBackslash(['\\', '%', '_']);
const STAR: readonly Misreading[] = [{ part: /\*/, would: 'read as a wildcard' }];
export const POSTGREST: ValueRules = {
  escape: { contains: PATTERN, startsWith: PATTERN, endsWith: PATTERN, like: PATTERN },
  refuse: { contains: STAR, startsWith: STAR, endsWith: STAR, like: STAR },
};

/** String literals of OData. */

/** Characters that a backslash protects. */
function withBackslash(characters: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(characters.map((each) => [each, `\\${each}`]));
}
