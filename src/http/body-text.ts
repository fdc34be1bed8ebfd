import { formatMessage, type Messages } from '../errors/messages.js';
import { ValidationError } from '../errors/validation-error.js';
import { stringifyJson } from '../util/stringify-json.js';

/** The body as JSON, with every digit of its numbers. Throws `ValidationError` for what JSON cannot carry. */
export function bodyText(body: unknown, messages?: Messages): string | undefined {
  try {
    const text = stringifyJson(body);
    const kind = text === '{}' && {}.toString.call(body).slice(8, -1);
    // JSON keeps nothing of a form, a file or a map.
    if (kind && kind !== 'Object') throw new TypeError(`it keeps nothing of what is in ${kind}`);
    return text;
  } catch (cause) {
    const message = formatMessage('json', { why: (cause as Error).message }, messages);
    throw new ValidationError([{ path: [], message, code: 'json' }], { cause });
  }
}
