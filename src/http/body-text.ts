import { ValidationError } from '../errors/validation-error.js';
import { stringifyJson } from '../util/stringify-json.js';

/** The body as JSON, with every digit of its numbers. Throws `ValidationError` for what JSON cannot carry. */
export function bodyText(body: unknown): string | undefined {
  try {
    const text = stringifyJson(body);
    const kind = text === '{}' && {}.toString.call(body);
    // Of a form, a file or a map nothing would be sent.
    if (kind && kind !== '[object Object]') throw new TypeError(`${kind} is no JSON`);
    return text;
  } catch (cause) {
    throw new ValidationError([{ path: [], message: (cause as Error).message, code: 'json' }], { cause });
  }
}
