import { any, checkOptions, type Rules, wholeFrom } from '../errors/option-rules.js';
import { mergeOptions } from '../util/options.js';
import type { Dialect } from './dialect.js';
import { type PlainOptions, plain } from './plain.js';
import { refusal } from './sent-query.js';

/** Options of `linkHeader()`. Those that `plain()` has too are passed on to it. */
export interface LinkHeaderOptions
  extends Pick<PlainOptions, 'sort' | 'filter' | 'names' | 'pageParam' | 'limitParam' | 'searchParam' | 'totalHeader'> {
  /**
   * The most rows that the server sends per page. It shortens longer pages silently, so that later pages would be other rows than
   * those that were asked for: a longer page is refused.
   * @default 100
   */
  maxPerPage?: number;
}

const RULES: Rules<LinkHeaderOptions> = {
  maxPerPage: /* @__PURE__ */ wholeFrom(1),
  // `plain()` checks these.
  sort: any,
  filter: any,
  names: any,
  pageParam: any,
  limitParam: any,
  searchParam: any,
  totalHeader: any,
};

/** The options of `plain()`, unless an option of `linkHeader()` says otherwise. */
const DEFAULTS: PlainOptions = {
  name: 'link-header',
  limitParam: 'per_page',
  searchParam: '',
  sort: { asc: 'sort={name}&direction=asc', desc: 'sort={name}&direction=desc', several: 'refuse' },
  filter: { eq: '{name}' },
};

/**
 * Dialect for servers in the style of GitHub: `?page=2&per_page=30&sort=created&direction=desc&state=open`, a bare array as the list,
 * and the address of the next page in the header `Link` (RFC 8288). Updates are PATCH. The number of rows in the collection is known
 * once the last page is loaded, unless a header tells it (`totalHeader`).
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({
 *   baseUrl: 'https://api.github.com',
 *   url: '/repos/{owner}/{repo}/issues',
 *   dialect: linkHeader({ names: { createdAt: 'created' } }),
 *   headers: { Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' },
 * });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function linkHeader(options: LinkHeaderOptions = {}): Dialect {
  checkOptions('linkHeader', options, RULES, 'proxy');
  const { maxPerPage = 100, ...wire } = options;
  const base = plain(mergeOptions<PlainOptions>(DEFAULTS, wire));
  return {
    ...base,
    page(context) {
      const { limit = 0 } = context.request.operation;
      if (limit > maxPerPage)
        throw refusal(
          context,
          `a page of ${limit} rows`,
          `ask for at most ${maxPerPage} (\`pageSize\` of the store), or set \`maxPerPage\` if the server sends more`,
        );
      base.page(context);
    },
  };
}
