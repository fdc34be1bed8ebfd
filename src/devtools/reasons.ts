import type { HeadersConfig } from '../http/headers.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import { type Explanation, headerPart, RequestTrace, type TracePart } from '../proxy/explain.js';
import type { OperationKind, ReasonedPart } from './recording.js';

/** The reason for a part of a request, by the option that it comes from. */
const REASONS: Readonly<Record<string, string>> = {
  url: 'The address of the collection',
  baseUrl: 'The address that others are relative to',
  countUrl: 'The address that tells the number of rows',
  'operation.url': 'The address that this call was given',
  'request.url': 'The address that `buildUrl` of this application has set',
  'api.list': 'The address for lists',
  'api.read': 'The address for reads',
  'api.create': 'The address for new records',
  'api.update': 'The address for changes',
  'api.destroy': 'The address for erases',
  'api.bulk': 'The address for several records in one request',
  appendId: 'The id of the record, as a segment of the path',
  idParam: 'The id of the record, as a parameter',
  buildUrl: 'The address as `buildUrl` of this application makes it',
  link: 'The address of the next rows, as the server has sent it',
  path: 'The segment that this call was given',
  format: 'The suffix of all addresses',
  trailingSlash: 'The server expects a slash at the end',
  pathParams: 'A value for a name in the address',
  extraParams: 'A parameter of all requests',
  params: 'A parameter of this call',
  noCache: 'A number that differs in each request, so that no cache answers',
  cacheString: 'A number that differs in each request, so that no cache answers',
  filterParam: 'The filters of the list',
  filters: 'The filters of the list',
  filter: 'The filters of the list',
  sortParam: 'The order of the list',
  sorters: 'The order of the list',
  sort: 'The order of the list',
  order: 'The order of the list',
  directionParam: 'The direction of the order',
  groupParam: 'The grouping of the list',
  groupDirectionParam: 'The direction of the grouping',
  searchParam: 'The text to search for',
  search: 'The text to search for',
  pageParam: 'The number of the page',
  page: 'The page of the list',
  p: 'The page of the list',
  startParam: 'The index of the first row',
  limitParam: 'The number of rows',
  limit: 'The number of rows',
  pageSize: 'The number of rows',
  size: 'The number of rows',
  tokenParam: 'The token of the page, as the server has sent it',
  fieldsParam: 'The fields that rows should have',
  fields: 'The fields that rows should have',
  count: 'Asks for the number of all rows',
  headers: 'A header of all requests',
  default: 'A header of all requests, unless an option sets it',
  dialect: 'A header of all requests in this dialect',
  'operation.headers': 'A header of this call',
  'request.headers': 'A header that an extension has added',
};

const METHODS: Readonly<Record<OperationKind, string>> = {
  read: 'The method for reads',
  create: 'The method for new records',
  update: 'The method for changes of a record',
  destroy: 'The method for erases',
  call: 'The method of this call',
  count: 'The method for reads',
};

const BODIES: Readonly<Record<OperationKind, string>> = {
  read: 'The query, because this address expects it in the body',
  create: 'The new record',
  update: 'The changes of the record',
  destroy: 'The record to erase',
  call: 'The body of this call',
  count: 'The query, because this address expects it in the body',
};

/** The parts of the address of a request, as they were noted while it was built. */
export function addressParts({ trace, url }: ProxyRequest): readonly TracePart[] {
  const parts = trace instanceof RequestTrace ? trace.parts : [];
  const last = parts.at(-1);
  const noted = last?.rule === 'override' ? last.text : parts.map(({ text }) => text).join('');
  // An override of `buildRequest` may have made or changed the address itself.
  return url && url !== noted ? [{ text: url, rule: 'override', option: 'buildUrl' }] : parts;
}

/** The headers with which a request is sent, and the options behind them. `layers` are the headers before extensions changed them. */
export function headerParts(
  { trace }: ProxyRequest,
  layers: readonly HeadersConfig[],
  sent: Headers,
): readonly TracePart[] {
  const notes = trace instanceof RequestTrace ? trace : new RequestTrace(() => '');
  const known = notes.explainHeaders(layers.map((layer) => (typeof layer === 'function' ? layer : read(layer, sent))));
  return [...sent].map(([name, value]) => {
    const part = known.get(name);
    const isUnchanged = part?.text.slice(name.length + 1).trim() === value;
    return part && isUnchanged ? part : headerPart(name, value, 'request.headers');
  });
}

/** The headers of a layer. A getter belongs to the application and was called by the request, so its value is that of the request. */
function read(layer: Readonly<Record<string, string>>, sent: Headers): Record<string, string> {
  const members = Object.entries(Object.getOwnPropertyDescriptors(layer)).filter(([, { enumerable }]) => enumerable);
  return Object.fromEntries(members.map(([name, { get, value }]) => [name, get ? sent.get(name) : value]));
}

/** The parts of an explained request, with the reasons in words. */
export function reasonedParts({ method, parts, headers, body }: Explanation, kind: OperationKind): ReasonedPart[] {
  return [
    ...(method ? [reasoned('method', method, METHODS[kind])] : []),
    ...parts.map((part) => reasoned('address', part, reasonOf(part))),
    ...headers.map((part) => reasoned('header', part, reasonOf(part))),
    ...(body ? [reasoned('body', body, BODIES[kind])] : []),
  ];
}

function reasoned(place: ReasonedPart['place'], { text, option }: TracePart, why: string): ReasonedPart {
  return { place, text, reason: why, option };
}

function reasonOf({ rule, option }: TracePart): string {
  const known = Object.hasOwn(REASONS, option) ? REASONS[option] : undefined;
  if (!known) return `Added by the extension \`${option}\``;
  // Rules of the specification and of the house begin like §4 and H7; any other rule is the name of a dialect.
  return /^(§|H\d|override)/.test(rule) ? known : `${known}, as the dialect \`${rule}\` writes it`;
}
