import { checkOptions } from '../dev/checks.js';
import { isOptionSet, type Rule, type Rules } from '../errors/option-rules.js';
import { FILTER_IN_STORE, type UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { type Operator, operators } from '../operation/query-parts.js';
import { isData } from '../util/data-path.js';
import type { StepContext } from './dialect.js';
import { refusal } from './sent-query.js';

// The grammar that each server reads in the texts of values, by its documentation and its code. Nothing else in this folder says which
// texts a server misreads, except for templates of `plain()`, whose grammar `template-grammar.ts` reads from the template.

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

/** Rules by operator; those under `all` hold for every operator, beside its own. */
export type ByOperator<T> = { readonly [operator in Operator | 'all']?: T };

/** A part of a text that a server would read as something else than a text. */
export interface Misreading {
  /** Finds the part. */
  readonly part: RegExp;
  /** The action of the server: the end of the sentence "which the server would …". */
  readonly would: string;
}

/**
 * The parts of texts that a server reads as grammar. A text with such a part is sent in the form that the server reads as the same
 * text, or it is refused: otherwise whoever types the value could change the query.
 */
export interface ValueRules {
  /**
   * The texts that are sent for parts that the server would read as grammar, by operator: `{ all: { "'": "''" }, like: { '%': '\\%' } }`. A
   * part that stands for itself, `{ all: { ':': ':' } }`, is sent as it is, although the server's grammar has it. @default {}
   */
  escape?: ByOperator<Readonly<Record<string, string>>>;
  /**
   * Parts of texts that the server reads as grammar and that no escape protects, by operator: `{ all: /[\r\n]/, like: /[%_]/ }`. Filters
   * with such texts are refused with `UnsupportedQueryError`. @default {}
   */
  refuse?: ByOperator<RegExp | readonly Misreading[]>;
}

const OPERATORS = () => ['all', ...operators()];
const isByOperator = (value: unknown, holds: (each: unknown) => boolean) =>
  isOptionSet(value) && Object.entries(value).every(([name, each]) => OPERATORS().includes(name) && holds(each));
const isPattern = (value: unknown) => value instanceof RegExp && !value.sticky;

const ESCAPE_RULE: Rule = {
  expected: "an object of texts by operator or `all`, such as `{ all: { \"'\": \"''\" }, like: { '%': '\\\\%' } }`",
  holds: (value) =>
    isByOperator(
      value,
      (texts) =>
        isData(texts) && Object.entries(texts).every(([part, text]) => part !== '' && typeof text === 'string'),
    ),
};
const REFUSE_RULE: Rule = {
  expected: 'an object of regular expressions by operator or `all`, such as `{ all: /[\\r\\n]/, like: /[%_]/ }`',
  holds: (value) =>
    isByOperator(
      value,
      (each) => isPattern(each) || (Array.isArray(each) && each.every((one) => isPattern(Object(one).part))),
    ),
};

/** The rules of the options `escape` and `refuse`. */
export const VALUE_RULES: Rules<ValueRules> = { escape: ESCAPE_RULE, refuse: REFUSE_RULE };

/** A text in the form that is sent. */
export interface ProtectedText {
  readonly sent: string;
  /** The text with {@link NEUTRAL} in place of each part that was escaped: only the rest could be read as grammar. */
  readonly bare: string;
}

/** Stands for a part of a text that no server reads as grammar. */
export const NEUTRAL = '\uE000';

/** Writes texts of conditions by the rules of a server. Throws `UnsupportedQueryError` for a text that the server would misread. */
export type ProtectText = (context: StepContext, condition: TextCondition, text: string) => ProtectedText;

/** The condition that a text belongs to. */
export interface TextCondition {
  readonly operator: Operator;
  /** The name that messages use. */
  readonly property: string;
}

/** Makes the function that writes texts by rules. Throws `DefinitionError` for rules of another form. */
// @__NO_SIDE_EFFECTS__
export function protectBy(owner: string, { escape: texts = {}, refuse: misread = {} }: ValueRules): ProtectText {
  checkOptions(owner, { escape: texts, refuse: misread }, VALUE_RULES);
  const make = (operator: Operator) => {
    const parts = new Map([...Object.entries(texts.all ?? {}), ...Object.entries(texts[operator] ?? {})]);
    const escaped = patternOf([...parts.keys()]);
    const misreadings = [...misreadingsOf(misread.all), ...misreadingsOf(misread[operator])];
    return (context: StepContext, property: string, text: string) => {
      for (const { part, would } of misreadings) {
        const [found] = text.match(part) ?? [];
        if (found !== undefined) throw misreadError(context, found, { operator, property }, would);
      }
      if (!escaped) return { sent: text, bare: text };
      return { sent: text.replace(escaped, (each) => parts.get(each) as string), bare: text.replace(escaped, NEUTRAL) };
    };
  };
  const byOperator = new Map(operators().map((operator) => [operator, make(operator)]));
  return (context, { operator, property }, text) =>
    byOperator.get(operator)?.(context, property, text) ?? { sent: text, bare: text };
}

/** The error of a text of which the server would read a part as something else. */
export function misreadError(
  context: StepContext,
  part: string,
  { operator, property }: TextCondition,
  would: string,
  remedy: string = FILTER_IN_STORE,
): UnsupportedQueryError {
  const what = `${shown(part)} in a value of '${property}' with \`${operator}\`, which the server would ${would}`;
  return refusal(context, what, remedy);
}

function misreadingsOf(given: RegExp | readonly Misreading[] | undefined): readonly Misreading[] {
  return given instanceof RegExp ? [{ part: given, would: 'read as grammar' }] : (given ?? []);
}

/** Finds any of some texts, the longest first; undefined if there are none. */
function patternOf(texts: readonly string[]): RegExp | undefined {
  if (texts.length === 0) return undefined;
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((each) => each.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}

/** The longest part of a text that a message shows. */
const LONGEST = 40;

/** A part of a text as a message shows it: characters that nobody can see, by their number. */
function shown(part: string): string {
  if (part === '') return 'the empty text';
  const characters = [...part];
  const visible = characters
    .slice(0, LONGEST)
    .map((each) => (/^[^\p{C}\p{Z}]$/u.test(each) || each === ' ' ? each : code(each)));
  const text = visible.join('') + (characters.length > LONGEST ? '…' : '');
  const [only] = characters;
  if (characters.length > 1 || only === undefined) return `the text '${text}'`;
  return text === only && only !== ' ' ? `the character '${only}'` : `the character ${code(only)}`;
}

function code(character: string): string {
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
}
