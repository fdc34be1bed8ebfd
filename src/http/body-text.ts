import { formatMessage, type Messages } from '../errors/messages.js';
import { ValidationError } from '../errors/validation-error.js';
import { stringifyJson } from '../util/stringify-json.js';
import type { BodyCodec } from './body-codec.js';

/** The body as text: as JSON, with every digit of its numbers, or as a codec writes it. Throws `ValidationError` for what cannot be written. */
export function bodyText(body: unknown, messages?: Messages, codec?: BodyCodec): string | undefined {
  try {
    if (codec) return body === undefined ? undefined : codec.write(body);
    const text = stringifyJson(body);
    const kind = text === '{}' && {}.toString.call(body).slice(8, -1);
    // JSON keeps nothing of a form, a file or a map.
    if (kind && kind !== 'Object') throw new TypeError(`it keeps nothing of what is in ${kind}`);
    return text;
  } catch (cause) {
    const params = { why: (cause as Error).message, format: codec?.name ?? 'JSON' };
    const message = formatMessage(codec ? 'codec' : 'json', params, messages);
    throw new ValidationError([{ path: [], message, code: codec ? 'codec' : 'json' }], { cause });
  }
}
