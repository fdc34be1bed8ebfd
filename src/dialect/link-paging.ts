import { checkOptions } from '../dev/checks.js';
import { any, type Rules } from '../errors/option-rules.js';
import { mergeOptions } from '../util/options.js';
import type { Dialect } from './dialect.js';
import { type PlainOptions, plain } from './plain.js';
import { filterTemplates } from './template-filter.js';

/** Options of `linkHeader()`, all of which `plain()` has too. */
export interface LinkHeaderOptions
  extends Pick<PlainOptions, 'sort' | 'filter' | 'names' | 'pageParam' | 'limitParam' | 'searchParam' | 'totalHeader'> {
  /** The most rows that the server sends per page; longer pages are refused. @default 100 */
  maxPageSize?: number;
}

const RULES: Rules<LinkHeaderOptions> = {
  // `plain()` checks the values.
  maxPageSize: any,
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
  maxPageSize: 100,
  searchParam: '',
  sort: { asc: 'sort={name}&direction=asc', desc: 'sort={name}&direction=desc', several: 'refuse' },
  filter: /* @__PURE__ */ filterTemplates({ eq: '{name}' }),
};

/**
 * Dialect for servers in the style of GitHub: `?page=2&per_page=30&sort=created&direction=desc&state=open`, a bare array as the list,
 * and the address of the next page in the header `Link` (RFC 8288). Updates are PATCH. The number of rows in the collection is known
 * once the last page is loaded, unless a header tells it (`totalHeader`). Throws `DefinitionError` for wrong options.
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
  return plain(mergeOptions<PlainOptions>(DEFAULTS, options));
}
