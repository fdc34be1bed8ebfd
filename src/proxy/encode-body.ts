import { DefinitionError } from '../errors/mistakes.js';
import type { EncodedBody } from '../extension/extension.js';
import type { BodyCodec } from '../http/body-codec.js';
import { bodyText } from '../http/body-text.js';
import { modelOf } from '../operation/operation-record.js';
import { ownPath } from '../operation/own-path.js';
import { parsePath } from '../util/data-path.js';
import type { JsonWriter } from '../writer/json-writer.js';
import type { DataProxy } from './data-proxy.js';
import type { ProxyRequest } from './proxy-request.js';

/**
 * The body of a request as it is sent, by the first extension that encodes it, else by the codec or as JSON; undefined for no body. Throws
 * `ValidationError` for values that it cannot carry, and `DefinitionError` if the writer's type needs `forms()`.
 */
export function encodeBody(
  request: ProxyRequest,
  proxy: DataProxy & { readonly codec?: BodyCodec | undefined },
): EncodedBody | undefined {
  const { body } = request;
  if (body === undefined) return undefined;
  const { extensions, writer, messages, codec } = proxy;
  let isEncoded = false;
  for (const extension of extensions) {
    const encoded = extension.encode?.(request, proxy);
    if (encoded) return encoded;
    isEncoded ||= extension.encode !== undefined;
  }
  if (writer.type !== 'json' && !isEncoded)
    throw new DefinitionError('extension-missing', { what: `\`writer: { type: '${writer.type}' }\``, name: 'forms' });
  const text = bodyText(body, { messages, codec, issuePath: (path) => issuePath(path, request, writer) });
  return text === undefined ? undefined : { body: text, contentType: codec?.mediaType ?? 'application/json', text };
}

/** The path of an issue, which begins with a field, for a path in the body of a write. */
export function issuePath(
  path: readonly PropertyKey[],
  { operation }: ProxyRequest,
  { rootProperty }: JsonWriter,
): readonly PropertyKey[] {
  return ownPath(path, rootProperty ? parsePath(rootProperty) : [], modelOf(operation));
}
