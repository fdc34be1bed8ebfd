import { getMember, isObject } from '../util/data-path.js';

/**
 * The text of every error and issue, by key; `{name}` stands for a parameter.
 * Replace any of them with the `messages` option of a proxy or a model.
 */
export const messages = {
  // Addresses
  'url-missing': 'No address to {action}: set `url` on the proxy',
  'url-relative': "'{url}' needs a `baseUrl`",
  'url-invalid': "'{url}' is no address",
  'url-built': 'A request is built once: make a new one',
  'url-outside':
    "{method} {url} was not sent: it leaves '{base}'. To address another collection, set `operation.url` or `api`, or override `baseOf`",
  'url-collection':
    '{method} {url} was not sent: it does not name the record. Save a new record first, keep its id in `buildUrl`, or give the call a `url` of its own',
  'url-several': '{method} of {count} records was not sent: set `batchActions`',
  'url-bulk':
    "{method} {url} was not sent: the address step of the dialect '{dialect}' names one of {count} records. Return the address of the collection where `request.bulk` is true",
  'url-singleton':
    'The {action} was not sent: the proxy is a `singleton`, whose address holds one record. Read it with `load(options)` of the model, and save records one by one',
  'id-missing': 'No id to {action} by',
  'id-singleton': '{model} is a singleton, which has no id: call `load(options)` without one',
  'id-required': "is required: it is the id of the {model}, which the application gives (identifier: 'natural')",
  'id-not-sent':
    "A new {model} does not send its id '{field}': if the application gives it, set `identifier: 'natural'` in `define`",
  'id-type': 'An id is text or a number, not {type}',
  'id-dots': "'{value}' is no path segment",
  'id-surrogate': 'A lone surrogate cannot be sent',
  'id-unsafe': '{value} has lost digits: use text',
  'format-invalid': "'{format}' is no format",
  'template-invalid': "'{{name}}' in '{url}' is no plain name in the path",
  'template-missing': "'{{name}}' in '{url}' has no value: set `pathParams`",
  'template-several': "'{{name}}' in '{url}' differs among records",
  'param-invalid': "The parameter '{name}' cannot be sent: {why}",
  // Queries
  'query-unsupported': 'The {dialect} dialect cannot say {what}',
  'query-field': "'{property}' is no field of {model}",
  'query-value': '{name} must be {expected}, not {value}',
  // Transport
  network: '{method} {url} got no answer: {why}',
  doubt: '{method} {url} got no answer: {why}. The record may exist now',
  timeout: '{method} {url} took longer than {timeout} ms',
  abort: '{method} {url} was aborted',
  http: '{method} {url} answered {status}{detail}',
  // Replies
  'reply-json': '{method} {url} answered {status} with {what} instead of JSON',
  'reply-depth':
    '{method} {url} answered {status} with data that is nested deeper than {most} levels: ask the server for fewer levels',
  'reply-empty': '{method} {url} answered null',
  'reply-row': '{method} {url}: row {row} is {what}',
  'reply-root': "{method} {url}: no '{path}' among {members}: set `reader.rootProperty`",
  'reply-no-id':
    '{method} {url} answered {status} without an id{location}: the record may exist. Decide with $.settle(row), $.settle(null) or save({ repeat: true })',
  'reply-id': '{model} {asked} was answered with record {got}: nothing was changed here{hint}',
  'reply-field': '{method} {url}: row {row}, {field} {why}',
  'reply-unchanged': '{method} {url} answered 304 to an unconditional request',
  'reply-redirected':
    '{method} {url} was redirected to {target}: it {outcome}. A redirected write is not followed: set `url` or `trailingSlash` so that the final address is asked at once',
  'reply-redirected-read':
    '{method} {url} was redirected to {target}. Only a read that is sent by GET is followed: set `url` or `trailingSlash` so that the final address is asked at once',
  'reply-redirected-away':
    '{method} {url} was redirected to {target}, on another origin. Use that address, or add its origin to `trustLinks`',
  'reply-redirected-often':
    '{method} {url} was redirected more than {count} times, at last to {target}. Use the final address, or correct the server',
  'reply-redirected-nowhere':
    '{method} {url} answered {status}, which redirects to {target}. Correct the `Location` that the server sends, or use the final address',
  'reply-record': 'There is no record {id}',
  // Records and models
  validation: 'Not valid: {detail}',
  'field-reserved': "'{field}' is a member of every record: give the field another name and set its mapping",
  'field-hidden':
    "The class fields '{fields}' of {Class} hide fields of the model '{model}', whose values would never be read. The types come from `define`: remove these lines, or write `declare {field}: …`; a default value goes into `defaultValue`",
  'field-type': "'{field}' has no type '{type}'",
  'field-option': "'{option}' is no option of a field ('{field}')",
  'field-mapping': "'{mapping}' is no mapping for '{field}'",
  'path-malformed':
    "'{path}' is no path ({option}): close each quoted name, and put a dot or a bracket behind it, as in links['self.href'].id",
  validator: "A validator of '{field}' returns undefined or { code, message }, not {value}",
  'field-unknown': "{model} has no field '{field}'",
  'field-calculated': "'{field}' is read-only",
  'field-unsendable':
    "'{path}' was not set: JSON cannot carry its value ({kind}). Declare `serialize` for the field, or {remedy}",
  'field-path': "'{path}' leads to no member of an object",
  'proxy-type': "No proxy type '{type}'; known: {known}",
  'proxy-missing': '{model} has no proxy',
  'constructor-arguments': 'The constructor of {model} must pass on all of its arguments',
  hook: 'A function of the application failed: {why}',
  'singleton-outbox':
    "An outbox tells records apart by their ids, which a `singleton` has not: add `off('outbox')` to `use` of that proxy",
  'option-unknown': "'{option}' is not an option of {owner}{hint}",
  'option-value': '{option} must be {expected}, not {value}',
  'extension-list': '`use` must be a list of extensions, such as `use: [retry()]`, not {value}',
  extension:
    '`use` holds {value}, which is no extension: an extension is an object with a `name` and a `layer`, such as `retry()` returns',
  'extension-hook': "The hook `{hook}` of the extension '{name}' must be a function, not {value}",
  'extension-missing':
    "{what} needs the extension `{name}()`: import it from 'repose' or 'repose/core', and add it to the proxy, `use: [{name}()]`",
  'part-missing':
    "{what} in the model '{model}' needs the part `{part}`: import it from 'repose' or 'repose/core', and add it to the list of the class on which `define` is called, `static override readonly parts = [...Model.parts, {part}]`",
  'part-invalid':
    "`parts` of the model '{model}' must be a list of objects with a `name`, not {value}. A part that is undefined was imported in a circle",
  'part-type': "The part '{part}' names the field type '{type}', which is built in: give the type another name",
  erased: '{model} {id} was erased',
  busy: '{model} {id} is being saved',
  // Values
  required: 'is required',
  type: 'is no {type}',
} as const;

/** Keys of {@link messages}, and of the texts that parts of the package bring along. */
export type MessageKey = keyof typeof messages | (string & {});
/** A table of texts, by key. */
export type Messages = Readonly<Record<string, string>>;
/** What fills the `{name}`s of a text. */
export type MessageParams = Readonly<Record<string, unknown>>;

/** The text of a message with its parameters filled in; `table` replaces texts, or brings more. */
export function formatMessage(key: MessageKey, params: MessageParams = {}, table?: Messages): string {
  return String(getMember(table, key) ?? getMember(messages, key) ?? key).replace(/\{(\w+)\}/g, (all, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : all,
  );
}

/** How a value is named in a message: short, and never more than a hint of what it holds. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/(.{40}).+/s, '$1…')}'`;
  if (Array.isArray(value)) return 'an array';
  return isObject(value) ? 'an object' : String(value);
}
