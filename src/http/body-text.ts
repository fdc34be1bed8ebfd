import { formatMessage, type Messages } from '../errors/messages.js';
import { ValidationError } from '../errors/validation-error.js';
import { findFile } from '../util/files.js';
import { stringifyJson } from '../util/stringify-json.js';
import type { BodyCodec } from './body-codec.js';

type Path = readonly PropertyKey[];

/** How a body is written as text. */
interface TextOptions {
  readonly messages?: Messages | undefined;
  /** @default JSON */
  readonly codec?: BodyCodec | undefined;
  /** Returns the path of the issue about a file at a path of the body. @default the same path */
  readonly issuePath?: (path: Path) => Path;
}

/** The body as text: as JSON, with every digit of its numbers, or as a codec writes it. Throws `ValidationError` for what cannot be written. */
export function bodyText(
  body: unknown,
  { messages, codec, issuePath = (path) => path }: TextOptions = {},
): string | undefined {
  try {
    if (codec && findFile(body)) throw new TypeError('it holds a file');
    if (codec) return body === undefined ? undefined : codec.write(body);
    const text = stringifyJson(body);
    const kind = text === '{}' && {}.toString.call(body).slice(8, -1);
    // JSON keeps nothing of a form, a file or a map.
    if (kind && kind !== 'Object') throw new TypeError(`it keeps nothing of what is in ${kind}`);
    return text;
  } catch (cause) {
    const file = findFile(body);
    const code = codec ? 'codec' : file?.length ? 'json-file' : 'json';
    const params = { why: (cause as Error).message, format: codec?.name ?? 'JSON' };
    const message = formatMessage(code, params, messages);
    throw new ValidationError([{ path: codec ? [] : issuePath(file ?? []), message, code }], { cause });
  }
}
