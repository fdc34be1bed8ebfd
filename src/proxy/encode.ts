import { inDevelopment, valueRemedy } from '../dev/checks.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { formatMessage, type Messages } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { ValidationError } from '../errors/validation-error.js';
import type { BodyCodec, EncodedBody } from '../http/body-codec.js';
import type { HeadersConfig } from '../http/headers.js';
import type { Operation } from '../operation/operation.js';
import { modelOf } from '../operation/operation-record.js';
import { ownPath } from '../operation/own-path.js';
import { ProxyRequest } from '../operation/proxy-request.js';
import { parsePath } from '../util/data-path.js';
import { findFile } from '../util/files.js';
import { stringifyJson } from '../util/json.js';
import type { JsonWriter } from '../writer/json-writer.js';
import { collectParams, guardAddress } from './address.js';
import type { AjaxProxy } from './ajax-proxy.js';
import type { DataProxy } from './data-proxy.js';
import { checkSeveral } from './proxy-options.js';

/**
 * Turns an operation into a request: HTTP method, parameters, address, body. Sends nothing, and calls no header function. Throws
 * `AddressError` and `UnsupportedQueryError`.
 */
export function encode(operation: Operation, proxy: AjaxProxy): ProxyRequest {
  const { request: given, link } = operation;
  // `send()` passes its prepared request in the operation. A request whose parameters are collected belongs to an earlier call.
  const request = given && !given.collected ? given : new ProxyRequest({ operation });
  try {
    operation.request = request;
    operation.singleton = proxy.singleton;
    // An inspector shows the reasons for the request that is sent; nothing is built a second time for it.
    const { by } = proxy['watch'];
    if (by) request.trace ??= by.trace(operation, proxy);
    request.bulk = operation.records.length > 1;
    request.method ||= proxy.getMethod(request).toUpperCase();
    if (request.bulk) checkSeveral(request, proxy);
    collectParams(request, proxy);
    if (proxy.hooks.prepare.length > 0) proxy.prepareRequest(request);
    request.url = link === undefined ? proxy.buildUrl(request) : guardAddress(request, proxy);
    request.trace?.note(request.url, link === undefined ? 'buildUrl' : 'link');
    guardAddress(request, proxy);
    // The parameters of an `api.list` or `api.read` with a body are in this body instead of the query.
    const { body } = request.endpoint ?? {};
    if (request.body === undefined && body) {
      const params = { ...request.knownParams };
      request.body = typeof body === 'function' ? body(params, request) : params;
    }
    if (request.body === undefined) request.body = proxy.dialect.body({ request, options: proxy });
    return request;
  } catch (error) {
    // Direct callers of `buildRequest` get the same request in the error.
    throw hasErrorBrand(error) ? error.inContext(operation, proxy.messages) : error;
  }
}

/** The headers of a request in layers, the weakest first; names in any case. `explain.ts` lists the option that each layer comes from. */
export function headerLayers(request: ProxyRequest, proxy: AjaxProxy): readonly HeadersConfig[] {
  const { encoded, operation, proxyHeaders = proxy.headers } = request;
  const { mediaType = 'application/json' } = proxy.codec ?? {};
  // OData answers `/People/$count` with a bare number as text.
  const accept = { Accept: operation.counts ? `${mediaType}, text/plain` : mediaType };
  // Any other header may hold a credential, so a link to another origin gets none: neither from the proxy nor from the call.
  if (request.foreign) return [accept];
  const own = {
    ...accept,
    ...(encoded?.contentType !== undefined && { 'Content-Type': encoded.contentType }),
    ...(proxy.useDefaultXhrHeader && { 'X-Requested-With': 'XMLHttpRequest' }),
  };
  return [
    own,
    proxy.dialect.headers?.({ request, options: proxy }) ?? {},
    proxyHeaders,
    request.headers ?? {},
    operation.headers ?? {},
  ];
}

/**
 * The body of a request that has one, as it is sent: by the first extension that encodes it, else by the codec or as JSON. Throws
 * `ValidationError` for values that it cannot carry, and `DefinitionError` if the writer's type needs `formBodies()`.
 */
export function encodeBody(
  request: ProxyRequest,
  proxy: DataProxy & { readonly codec?: BodyCodec | undefined },
): EncodedBody | undefined {
  const { extensions, writer, messages, codec } = proxy;
  for (const extension of extensions) {
    const encoded = extension.encode?.(request, proxy);
    if (encoded) return encoded;
  }
  if (writer.type !== 'json') inDevelopment(checkEncoder, proxy);
  const text = bodyText(request.body, { messages, codec, issuePath: (path) => issuePath(path, request, writer) });
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
