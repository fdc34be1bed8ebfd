import { inDevelopment, valueRemedy } from '../dev/checks.js';
import { formatMessage, type Messages } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { ValidationError } from '../errors/validation-error.js';
import type { BodyCodec, EncodedBody } from '../http/body-codec.js';
import { modelOf } from '../operation/operation-record.js';
import { ownPath } from '../operation/own-path.js';
import { parsePath } from '../util/data-path.js';
import { findFile } from '../util/files.js';
import { stringifyJson } from '../util/json.js';
import type { JsonWriter } from '../writer/json-writer.js';
import type { DataProxy } from './data-proxy.js';
import type { ProxyRequest } from './proxy-request.js';

/**
 * The body of a request as it is sent, by the first extension that encodes it, else by the codec or as JSON; undefined for no body. Throws
 * `ValidationError` for values that it cannot carry, and `DefinitionError` if the writer's type needs `formBodies()`.
 */
export function encodeBody(
  request: ProxyRequest,
  proxy: DataProxy & { readonly codec?: BodyCodec | undefined },
): EncodedBody | undefined {
  const { body } = request;
  if (body === undefined) return undefined;
  const { extensions, writer, messages, codec } = proxy;
  for (const extension of extensions) {
    const encoded = extension.encode?.(request, proxy);
    if (encoded) return encoded;
  }
  if (writer.type !== 'json') inDevelopment(checkEncoder, proxy);
  const text = bodyText(body, { messages, codec, issuePath: (path) => issuePath(path, request, writer) });
  return text === undefined ? undefined : { body: text, contentType: codec?.mediaType ?? 'application/json', text };
}

function checkEncoder({ writer: { type }, extensions }: DataProxy): void {
  if (!extensions.some(({ encode }) => encode))
    throw new DefinitionError('extension-missing', { what: `\`writer: { type: '${type}' }\``, name: 'formBodies' });
}

/** The path of an issue, which begins with a field, for a path in the body of a write. */
export function issuePath(
  path: readonly PropertyKey[],
  { operation }: ProxyRequest,
  { rootProperty }: JsonWriter,
): readonly PropertyKey[] {
  return ownPath(path, rootProperty ? parsePath(rootProperty) : [], modelOf(operation));
}

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
    const params = { why: (cause as Error).message, format: codec?.name ?? 'JSON', remedy: valueRemedy(code) };
    const message = formatMessage(code, params, messages);
    throw new ValidationError([{ path: codec ? [] : issuePath(file ?? []), message, code }], { cause });
  }
}
