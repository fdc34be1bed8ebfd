import { checkCall, checkOptions } from '../dev/checks.js';
import {
  any,
  callable,
  delay,
  flag,
  headerSet,
  list,
  object,
  oneOf,
  parameterSet,
  type Rule,
  type Rules,
  rulesOf,
  signal,
  string,
  worded,
} from '../errors/option-rules.js';
import type { CheckCall } from '../model/call.js';
import type { Model } from '../model/model.js';
import { CALL_RULES, modelClass, proxyOption } from '../model/model-options.js';
import { isData, isObject } from '../util/data-path.js';
import type { LoadMoreOptions, LoadOptions } from './paging.js';
import { Query } from './query.js';
import type { RemoteSettings } from './remote-rules.js';
import type {
  PagesOptions,
  QueryOptions,
  ReceiveOptions,
  StoreConfig,
  SyncOptions,
  ViewConfig,
} from './store-config.js';
import type { IndexRange, WindowConfig } from './window-config.js';

const names: Rule = {
  expected: "a list of names of fields, such as `['name']`",
  holds: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
};
/** A number of requests or records at a time. */
export const limit: Rule = {
  expected: 'a whole number from 1, or Infinity',
  holds: (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) > 0),
};

/** A query. Stores also check, in every build, that it is one of their model. */
const query: Rule = { expected: 'a query, such as `Query.of(User, { … })`', holds: (value) => value instanceof Query };

/** Rule of `remoteSort` and `remoteFilter`. */
const remoteSetting: Rule = {
  expected: "'auto', true or false",
  holds: (value) => value === 'auto' || typeof value === 'boolean',
};

/** The options of a view. */
export const VIEW_RULES: Rules<ViewConfig<Model>> = {
  query,
  sorters: /* @__PURE__ */ worded(list, "a list, such as `['name']`"),
  filters: /* @__PURE__ */ worded(list, "a list, such as `[{ property: 'name', value: 'Ada' }]`"),
  grouper: any,
  groupField: string,
  groupDir: any,
  groups: {
    expected: "made by `groups({ by, summaries })` of 'repose/groups'",
    holds: (value) => typeof (value as { attach?: unknown } | null)?.attach === 'function',
  },
  locale: any,
  holdEdited: flag,
  searchFields: names,
};

/** The names of the options of a store. */
export const STORE_OPTIONS: Readonly<Record<keyof StoreConfig<Model>, true>> = {
  ...{ query: true, sorters: true, filters: true, grouper: true, groupField: true, groupDir: true, groups: true },
  ...{ locale: true, holdEdited: true, searchFields: true, model: true, proxy: true, pageSize: true },
  ...{ remoteSort: true, remoteFilter: true, data: true, autoLoad: true, allowPartial: true, canLoad: true },
  ...{ concurrency: true, session: true, newRecords: true },
};

/** The rules of the options of a store. */
export const STORE_RULES: Rules<StoreConfig<Model>> = /* @__PURE__ */ rulesOf(VIEW_RULES, {
  model: modelClass,
  proxy: proxyOption,
  pageSize: any,
  remoteSort: remoteSetting,
  remoteFilter: remoteSetting,
  data: /* @__PURE__ */ worded(list, "a list of records, such as `[{ id: 1, name: 'Ada' }]`"),
  autoLoad: {
    expected: 'true, false or the options of a load',
    holds: (value) => typeof value === 'boolean' || isData(value),
  },
  allowPartial: flag,
  canLoad: callable,
  concurrency: limit,
  newRecords: /* @__PURE__ */ oneOf('first', 'last', 'sorted'),
  session: {
    expected: 'a session, `new Session()`',
    holds: (value) => isObject(value) && 'records' in value,
  },
});

/** The settings of `setRemote()`. */
export const REMOTE_RULES: Rules<RemoteSettings> = { remoteSort: remoteSetting, remoteFilter: remoteSetting };

/** The options of `load()`. Its page numbers are checked where they are used. */
const LOAD_RULES: Rules<LoadOptions<Model>> = /* @__PURE__ */ rulesOf(CALL_RULES, {
  query,
  // A query checks these in every build.
  fields: any,
  page: any,
  start: any,
  limit: any,
  id: any,
  addRecords: flag,
  next: object,
});

/** The options of `loadMore()`. */
const MORE_RULES: Rules<LoadMoreOptions> = CALL_RULES;

/** The options of `pages()`. The number of rows is checked where it is used. */
const PAGES_RULES: Rules<PagesOptions> = {
  limit: any,
  params: parameterSet,
  pathParams: parameterSet,
  headers: headerSet,
  signal,
};

/** The options of `receive()`. The ids and the version are checked in every build. */
const RECEIVE_RULES: Rules<ReceiveOptions<Model>> = { removed: any, version: any, gap: flag };

/** The options of `sync()`. */
export const SYNC_RULES: Rules<SyncOptions> = {
  records: list,
  params: parameterSet,
  headers: headerSet,
  signal,
  concurrency: limit,
  batchSize: limit,
  onFailure: {
    expected: "'continue', 'stop', or the value `rollback`, imported from 'repose'",
    holds: (value) => value === 'continue' || value === 'stop' || (isObject(value) && 'openUndo' in value),
  },
  onProgress: callable,
};

/** The options of `filter()` and `search()`. */
export const QUERY_RULES: Rules<QueryOptions> = { delay };

/** The options of `window()`. */
export const WINDOW_RULES: Rules<WindowConfig<Model>> = {
  query,
  start: any,
  end: any,
  prefetch: any,
  settle: any,
  keep: any,
};

/** The argument of `show()`. */
export const RANGE_RULES: Rules<IndexRange> = { start: any, end: any };

/** The options that `load()` and `autoLoad` accept. */
export const checkLoad: CheckCall = (options) => {
  checkCall('load', options, LOAD_RULES, 'load');
};
/** The options that `loadMore()` accepts. */
export const checkLoadMore: CheckCall = (options) => {
  checkCall('loadMore', options, MORE_RULES, 'load');
};

/** The options that `pages()` accepts. */
export function checkPages(options: PagesOptions): void {
  checkOptions('pages', options, PAGES_RULES, 'load');
}

/** The options that `receive()` accepts. */
export function checkReceive(options: object): void {
  checkOptions('receive', options, RECEIVE_RULES);
}

/** The arguments of calls that take no options. */
export const INSERT_INDEX: Rule = {
  expected: 'a whole number from 0, as in `insert(0, record)` (`add(record)` adds at the end)',
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
export const SEARCH_TEXT: Rule = {
  expected: "a text, or '' to end the search",
  holds: (value) => typeof value === 'string',
};
export const BATCH_ARGUMENT: Rule = {
  expected: 'a function that makes the changes, such as `() => store.add(record)`',
  holds: (value) => typeof value === 'function',
};
