import { checkGiven, checkNames, checkOptions, checkValues, isMisspelt } from '../dev/checks.js';
import type { Dialect } from '../dialect/dialect.js';
import { AddressError, checkPath, DefinitionError } from '../errors/mistakes.js';
import {
  any,
  callable,
  flag,
  headerSet,
  isParameterSet,
  list,
  milliseconds,
  object,
  oneOf,
  orNull,
  parameterSet,
  type Rule,
  type Rules,
  signal,
  string,
  text,
  worded,
  wrongValue,
} from '../errors/option-rules.js';
import type { BodyCodec } from '../http/body-codec.js';
import { MODEL } from '../operation/operation-record.js';
import type { ProxyRequest, ReadAddress } from '../operation/proxy-request.js';
import type { Clock } from '../util/clock.js';
import { isData, isObject } from '../util/data-path.js';
import type { AjaxProxy, SendConfig } from './ajax-proxy.js';
import type { BatchActions, DataProxy, DataProxyConfig } from './data-proxy.js';
import type { ExplainConfig } from './explain.js';
import type { Addresses, AjaxProxyConfig, CountAddress, RestProxyConfig } from './proxy-config.js';

type Own<C, Base> = Omit<C, keyof Base>;

/** The name of a parameter; an empty text or null switches the parameter off. */
const paramName: Rule = /* @__PURE__ */ orNull(string);
/** The HTTP methods of RFC 9110 and RFC 5789 that `fetch` can send. */
const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/**
 * An HTTP method in any case. Methods of servers' own, such as PURGE, are allowed; what no server can know is refused: a text that is
 * no token (RFC 9110, section 9.1), a misspelt standard method, and a method that `fetch` refuses.
 */
const verb: Rule = {
  expected: "an HTTP method, such as 'GET', 'POST', 'PUT', 'PATCH' or 'DELETE'",
  holds(value) {
    if (typeof value !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(value)) return false;
    const method = value.toUpperCase();
    return !isMisspelt(method, VERBS) && !/^(CONNECT|TRACE|TRACK)$/.test(method);
  },
};
function isParametersOrFunction(value: unknown): boolean {
  return isParameterSet(value) || typeof value === 'function';
}

/** Values by name, or a function that returns them. */
export const valuesOrFunction: Rule = {
  expected: 'an object, or a function that returns one',
  holds: isParametersOrFunction,
  isSecret: true,
};

/** Rules of the options of every proxy. */
const DATA_RULES: Rules<DataProxyConfig> = {
  batchActions: {
    expected: 'true or false, or an object such as `{ update: true }`',
    holds: (value) => typeof value === 'boolean' || isData(value),
  },
  batchOrder: {
    expected: "a text of the actions to write, such as 'create,update,destroy'",
    holds: (value) =>
      typeof value === 'string' &&
      value.split(',').every((action) => ['create', 'update', 'destroy'].includes(action.trim())),
  },
  reader: { expected: 'options of a reader, or a reader such as `new JsonReader({ … })`', holds: isData },
  writer: { expected: 'options of a writer, or a writer such as `new JsonWriter({ … })`', holds: isData },
  use: any,
  scope: /* @__PURE__ */ worded(text, "a text, such as `'tenant-7'`"),
  clock: {
    expected: 'an object with the functions `now` and `after`',
    holds: (value) => {
      const { now, after } = (value ?? {}) as Partial<Clock>;
      return typeof now === 'function' && typeof after === 'function';
    },
  },
  messages: object,
};

/** Rules of the members of the option `batchActions`. */
const BATCH_RULES: Rules<BatchActions> = { create: flag, update: flag, destroy: flag };

/** Throws `DefinitionError` for options that a proxy does not have, and for wrong values of those that every proxy has. */
export function checkProxyOptions(given: object, Class: typeof DataProxy): void {
  checkGiven(`The options of ${Class.name}`, given, object);
  checkNames(given, Class.name, Class, 'proxy');
  checkValues(given, Class.name, DATA_RULES);
}

/** Throws `DefinitionError` for wrong members of the option `batchActions`, also if the dialect has set it. */
export function checkBatchActions({ batchActions, constructor: { name } }: DataProxy): void {
  if (typeof batchActions === 'object') checkOptions(`${name}.batchActions`, batchActions, BATCH_RULES);
}

/** Rules of the options of proxies that send requests. */
export const AJAX_RULES: Rules<Own<AjaxProxyConfig, DataProxyConfig>> = {
  url: /* @__PURE__ */ worded(string, 'a text such as `/users`'),
  baseUrl: /* @__PURE__ */ worded(string, 'a text such as `https://example.com/api`'),
  api: { expected: "an object of addresses, such as `{ create: '/users/new' }`", holds: isData },
  countUrl: {
    expected: "made by `rowCount('/users/count')`",
    holds: (value) => isData(value) && callable.holds(value['countsOf']),
  },
  singleton: flag,
  dialect: {
    expected: "a dialect, which a call gives: import `plain` from 'repose', and write `dialect: plain()`",
    holds: (value) => {
      const { name, page, sort, filter } = (isObject(value) ? value : {}) as Partial<Dialect>;
      return typeof name === 'string' && [page, sort, filter].every((step) => typeof step === 'function');
    },
  },
  idParam: string,
  pageParam: paramName,
  startParam: paramName,
  limitParam: paramName,
  sortParam: paramName,
  filterParam: paramName,
  groupParam: paramName,
  searchParam: paramName,
  tokenParam: paramName,
  trustLinks: {
    expected: "a list of origins without a slash at their end, such as `['https://example.com']`",
    holds: (value) => Array.isArray(value) && value.every(isOrigin),
  },
  directionParam: string,
  groupDirectionParam: string,
  simpleSortMode: flag,
  simpleGroupMode: flag,
  extraParams: valuesOrFunction,
  pathParams: valuesOrFunction,
  noCache: flag,
  cacheString: string,
  timeout: /* @__PURE__ */ milliseconds(0),
  headers: {
    expected: "an object of texts, such as `{ 'Accept-Language': 'de' }`, or a function that returns one",
    holds: isParametersOrFunction,
    isSecret: true,
  },
  fetch: /* @__PURE__ */ worded(callable, "a function, such as the platform's `fetch`"),
  actionMethods: {
    expected: "an object of verbs, such as `{ update: 'PATCH' }`",
    holds: (value) => value === null || isData(value),
  },
  codec: {
    expected: 'an object with the functions `write` and `parse`, and the texts `name` and `mediaType`',
    holds: isCodec,
  },
  withCredentials: flag,
  useDefaultXhrHeader: flag,
};

const readAddress: Rule = {
  expected: "an address, or an object such as `{ url: '/users/_search', method: 'POST', body: true }`",
  holds: (value) => typeof value === 'string' || isData(value),
};

const ADDRESS_RULES: Rules<Addresses> = {
  create: string,
  read: readAddress,
  list: readAddress,
  update: string,
  destroy: string,
  bulk: string,
};

const READ_RULES: Rules<ReadAddress> = {
  url: string,
  method: verb,
  params: {
    expected: 'an object of parameters, or a function that returns one',
    holds: (value) => callable.holds(value) || isParameterSet(value),
  },
  body: { expected: 'true, or a function', holds: (value) => typeof value === 'boolean' || callable.holds(value) },
};

const COUNT_RULES: Rules<CountAddress> = {
  url: text,
  filterParam: text,
  params: callable,
  total: {
    expected: "a path such as 'data.count', or a function",
    holds: (value) => typeof value === 'string' || callable.holds(value),
  },
};

/** Throws `DefinitionError` for wrong options of `rowCount()`. */
export function checkCountAddress(option: string, count: CountAddress): void {
  checkOptions(option, count, COUNT_RULES);
  checkGiven(`${option}.url`, count.url, text);
  if (typeof count.total === 'string') checkPath(count.total, `${option}.total`);
}

/** Throws `DefinitionError` for wrong members of the options `api` and `actionMethods`. */
export function checkRequestOptions(owner: string, { api, actionMethods }: AjaxProxyConfig): void {
  if (api) checkAddresses(`${owner}.api`, api);
  if (actionMethods) checkOptions(`${owner}.actionMethods`, actionMethods, METHOD_RULES, 'methods');
}

function checkAddresses(option: string, api: Addresses): void {
  checkOptions(option, api, ADDRESS_RULES);
  for (const name of ['list', 'read'] as const) {
    const address = api[name];
    if (typeof address !== 'object') continue;
    checkOptions(`${option}.${name}`, address, READ_RULES);
    const { method, body } = address;
    if (body && /^(GET|HEAD)$/i.test(method ?? ''))
      throw wrongValue(`${option}.${name}.method`, "a method that may have a body, such as 'POST'", method);
  }
}

function isCodec(value: unknown): boolean {
  const { name, mediaType, write, parse } = Object(value) as Partial<BodyCodec>;
  const isNamed = typeof name === 'string' && typeof mediaType === 'string';
  return isNamed && typeof write === 'function' && typeof parse === 'function';
}

/** Rules of the members of the option `actionMethods`. */
const METHOD_RULES: Rules<NonNullable<AjaxProxyConfig['actionMethods']>> = {
  create: verb,
  read: verb,
  update: verb,
  destroy: verb,
};

/** Rules of the options that only the REST proxy has. */
export const REST_RULES: Rules<Own<RestProxyConfig, AjaxProxyConfig>> = {
  appendId: flag,
  format: /* @__PURE__ */ orNull(string),
  trailingSlash: flag,
  createBy: /* @__PURE__ */ oneOf('post', 'put'),
};

/** Rules of the options that `explain()` accepts instead of an operation. */
export const OPERATION_RULES: Rules<ExplainConfig> = {
  action: /* @__PURE__ */ oneOf('create', 'read', 'update', 'destroy'),
  records: /* @__PURE__ */ worded(list, 'a list of records, such as `[user]`'),
  id: any,
  anyId: flag,
  url: string,
  headers: headerSet,
  page: any,
  start: any,
  limit: any,
  sorters: list,
  filters: list,
  grouper: any,
  fields: any,
  search: string,
  query: /* @__PURE__ */ worded(object, 'a query, such as `Query.of(User, { … })`'),
  link: string,
  params: parameterSet,
  pathParams: parameterSet,
  signal,
  onRows: callable,
  model: {
    expected: 'a model, such as `User`',
    holds: (value) => callable.holds(value) && MODEL in Object((value as { prototype?: unknown }).prototype),
  },
  idempotencyKey: string,
};

/** Rules of the options of `send()`. */
export const SEND_RULES: Rules<SendConfig> = {
  method: verb,
  url: string,
  // The address refuses what is no segment.
  path: any,
  params: parameterSet,
  pathParams: parameterSet,
  headers: headerSet,
  body: any,
  record: { expected: 'a record, such as `user`', holds: (value) => isObject(value) && MODEL in value },
  blob: flag,
  idempotencyKey: string,
  signal,
};

/** Whether a value is an origin, written as in `location.origin`: another text, such as one with a path, would never match. */
function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;
}

const WRITES = ['create', 'update', 'destroy'] as const;

/**
 * Throws `DefinitionError` if the dialect has no request for several records of an action that `batchActions` names: such a request
 * could change the whole collection.
 */
export function checkBulk(proxy: AjaxProxy): void {
  const { dialect, batchActions } = proxy;
  const { bulk } = dialect.capabilities;
  const refused = WRITES.filter((action) => proxy.batches(action) && bulk?.includes(action) === false);
  if (!bulk || refused.length === 0) return;
  throw wrongValue(
    `\`${proxy.constructor.name}.batchActions\``,
    `${switchedOn(bulk)} with the dialect '${dialect.name}', which has no request that can ${refused.join(' or ')} several records`,
    batchActions,
  );
}

/** The value of `batchActions` that sends some actions together. */
function switchedOn(actions: readonly string[]): string {
  return actions.length > 0 ? `\`{ ${actions.map((action) => `${action}: true`).join(', ')} }\`` : 'false';
}

/**
 * Throws `AddressError` for a request about several records if the dialect has none for its action, or if `batchActions` does not name it.
 * Several creates need no option.
 */
export function checkSeveral({ action, operation }: ProxyRequest, proxy: AjaxProxy): void {
  if (proxy.singleton) throw new AddressError('url-singleton');
  const { bulk } = proxy.dialect.capabilities;
  // A production build has not refused such `batchActions` before.
  if (bulk?.includes(action) === false || !(action === 'create' || proxy.batches(action)))
    throw new AddressError('url-several', { count: operation.records.length });
}

/** Throws `DefinitionError` if the reader has `stream` or `type: 'ndjson'`, but the proxy does not use `streaming()`, or has a codec. */
export function checkStreaming({ reader: { stream }, extensions, codec }: AjaxProxy): void {
  const what = stream ? '`reader: { stream: true }`' : "`reader: { type: 'ndjson' }`";
  if (codec) throw new DefinitionError('codec-stream', { what, format: codec.name });
  if (extensions.some(({ name }) => name === 'streaming')) return;
  throw new DefinitionError('extension-missing', { what, name: 'streaming' });
}
