/**
 * The text of every error and issue, by key; `{name}` stands for a parameter.
 * Replace any of them with the `messages` option of a proxy or a model.
 */
export const messages = {
  // Addresses
  'url-missing': 'No address for {action}: set `url` (or `api.{action}`) on the proxy.',
  'url-relative': "'{url}' is relative and nothing gives it a base: set `baseUrl` on the proxy.",
  'url-invalid': "'{url}' is not an address.",
  'url-built': 'The address of this request is built already: make a new request.',
  'url-outside':
    "Refused to send {method} {url}: it leaves its collection '{base}'. An override that means another place sets `operation.url` or `api`.",
  'url-collection':
    'Refused to send {method} {url}: it names the whole collection, no record. The record or operation needs a valid id.',
  'url-several': 'Refused to send {method} for {count} records to the address of the first: set `batchActions`.',
  'id-missing': 'No id to {action} by: give a string or a number, and load no record that was never saved.',
  'id-type': 'An id must be a string or a number, not {type}.',
  'id-dots': "'{value}' cannot be a path segment.",
  'id-surrogate': 'The text holds a lone surrogate, which no address can carry.',
  'id-unsafe': 'The number {value} has lost digits: ids beyond Number.MAX_SAFE_INTEGER must be text.',
  'format-invalid': "'{format}' is no format: letters, digits and . _ ~ + - only.",
  'template-invalid': "'{{name}}' in '{url}' is not supported: templates are plain names in the path.",
  'template-missing': "'{{name}}' in '{url}' has no value: give `pathParams`, or the record a field of that name.",
  'template-phantom': "'{{name}}' in '{url}' refers to a record that was never saved: save it first.",
  'param-invalid': "The parameter '{name}' cannot be sent: {why}.",
  // Queries
  'query-unsupported': 'The {dialect} dialect cannot say {what}.',
  'query-field': "'{property}' is no field of {model}.",
  'query-page': '{name} must be {expected}, not {value}.',
  'query-partial':
    'The store holds part of the collection: {what} locally would show wrong data. Set remote{remote} or `partial: true`.',
  // Transport
  network: '{method} {url} got no answer: {why}.',
  'network-doubt':
    '{method} {url} got no answer: {why}. The record may or may not exist now; nothing repeats this by itself.',
  timeout: '{method} {url} took longer than {timeout} ms.',
  abort: '{method} {url} was aborted.',
  http: '{method} {url} answered {status}{detail}.',
  refused: '{method} {url} reported failure{detail}.',
  // Replies
  'reply-json': '{method} {url} answered {status} with {what} instead of JSON.',
  'reply-empty': '{method} {url} answered null where a record was expected.',
  'reply-row': '{method} {url}: row {row} is {what}, not an object.',
  'reply-root': "{method} {url}: nothing to read at '{path}'. The reply holds: {members}.",
  'reply-no-id':
    '{method} {url} answered {status} without an id, neither in the body nor in Location: the record stays unsaved.',
  'reply-id': '{method} {url} answered with record {got} instead of {asked}.',
  'reply-field': '{method} {url}: row {row}, {field}: {why}.',
  'reply-missing': '{method} {url} does not account for this record: it stays unsaved.',
  'reply-redirected':
    '{method} {url} was redirected to {target}, which loses the body: give the proxy the final address.',
  'reply-record': 'No record has the id {id}.',
  // Records and models
  validation: 'The record is not valid: {detail}.',
  'field-reserved': "'{field}' is a member of every record: give the field another name and set its mapping.",
  'field-type': "'{field}' has no type '{type}'.",
  'field-option': "'{option}' is no option of a field ('{field}').",
  'field-mapping': "'{mapping}' is no path that '{field}' can be mapped to.",
  'field-unknown': "{model} has no field '{field}'.",
  'field-calculated': "'{field}' is calculated or read-only.",
  'field-path': "'{path}' leads to no member of an object.",
  'id-property': "idProperty '{field}' is not among the fields of {model}.",
  'proxy-type': "There is no proxy type '{type}'; known: {known}.",
  'proxy-missing': '{model} has no proxy.',
  'proxy-option': "'{option}' must be {expected}, not {value}.",
  'reference-unknown': "{model} has no reference '{field}'.",
  erased: '{model} {id} was erased: it can be neither changed nor sent.',
  busy: '{model} {id} is being saved: it cannot be committed by hand now.',
  duplicate: 'The store holds a {model} with the id {id} already.',
  foreign: 'The store takes records of {model} only.',
  sync: '{count} of {total} records could not be written; the first: {first}',
  // Issues of values
  required: 'is required',
  type: 'is not of type {type}',
  length: 'must be {min} to {max} characters long',
  minLength: 'must be at least {min} characters long',
  maxLength: 'must be at most {max} characters long',
  range: 'must be between {min} and {max}',
  min: 'must be at least {min}',
  max: 'must be at most {max}',
  format: 'has the wrong format',
  email: 'is no e-mail address',
  url: 'is no http or https address',
  inclusion: 'must be one of {list}',
  exclusion: 'must not be one of {list}',
} as const;

/** Keys of {@link messages}. */
export type MessageKey = keyof typeof messages;
/** A table of texts that replaces some of {@link messages}. */
export type Messages = Partial<Record<MessageKey, string>>;
/** What fills the `{name}`s of a text. */
export type MessageParams = Readonly<Record<string, unknown>>;

/** The text of a message with its parameters filled in. */
export function formatMessage(key: MessageKey, params: MessageParams = {}, table?: Messages): string {
  return (table?.[key] ?? messages[key]).replace(/\{(\w+)\}/g, (all, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : all,
  );
}

/** How a value is named in a message: short, and never more than a hint of what it holds. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
