import { checkOptions } from '../dev/checks.js';
import { toDataError } from '../errors/error-context.js';
import type { BodyCodec } from '../http/body-codec.js';
import type { HeadersConfig } from '../http/headers-config.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { listUrl } from './base-address.js';
import { type Counting, countOperation } from './count-request.js';
import type { DataProxy } from './data-proxy.js';
import { encodeBody } from './encode-body.js';
import type { ExplainConfig, Explanation } from './explanation.js';
import type { ServerProxyConfig } from './proxy-config.js';
import { OPERATION_RULES } from './proxy-options.js';
import type { ProxyRequest, TracePart } from './proxy-request.js';
import { TracedRequest } from './traced-request.js';

/** The option behind each layer of headers, the weakest first. */
const HEADER_OPTIONS = ['default', 'dialect', 'headers', 'request.headers', 'operation.headers'];
/** Index of the layer with the headers that extensions added to the request. */
const REQUEST_LAYER = 3;

/** The members of a proxy that `explain` needs. */
export type Explained = DataProxy &
  Counting &
  Pick<ServerProxyConfig, 'url' | 'api'> & {
    readonly codec?: BodyCodec | undefined;
    buildRequest(operation: Operation): ProxyRequest;
  };

/** Builds the request of an operation without sending it, and names the rule and option behind each part. */
export function explain(
  config: Operation | ExplainConfig,
  proxy: Explained,
  layersOf: (request: ProxyRequest) => readonly HeadersConfig[],
): Explanation {
  const isOperation = config instanceof Operation;
  if (!isOperation) checkOptions('explain', config, OPERATION_RULES, 'call');
  const model = isOperation ? config.model : config.model?.prototype[MODEL];
  // A copy, because explaining must not change an operation that the application may run later.
  const operation: Operation = new Operation({ ...(config as Operation), model });
  operation.counts = isOperation && config.counts;
  const { url, action, counts } = operation;
  const traced = new TracedRequest(operation, (base) => {
    if (counts) return 'countUrl';
    if (base === url) return 'operation.url';
    const { list, bulk } = proxy.api ?? {};
    if (action === 'read' && base === listUrl(list)) return 'api.list';
    if (operation.records.length > 1 && base === bulk) return 'api.bulk';
    return base === proxy.api?.[action] ? `api.${action}` : base === proxy.url ? 'url' : 'request.url';
  });
  const { parts } = traced;
  try {
    operation.request = traced;
    const request = proxy.buildRequest(operation);
    const count = countOperation(operation, proxy);
    request.encoded = encodeBody(request, proxy);
    const layers = layersOf(request);
    return {
      request,
      parts,
      ...explainMessage(request, layers, (name) => traced.originOfHeader(name)),
      ...(count && { count: explain(count, proxy, layersOf) }),
    };
  } catch (cause) {
    return { refused: toDataError(operation, proxy.messages, cause), parts, headers: [] };
  }
}

/**
 * Explains the method, headers and body of a built request. No header function is called. `extensionOf` returns the name of the
 * extension that added a header.
 */
function explainMessage(
  { method = '', encoded }: ProxyRequest,
  layers: readonly HeadersConfig[],
  extensionOf: (name: string) => string | undefined,
): Omit<Explanation, 'parts'> {
  const headers = new Map<string, TracePart>();
  for (const [rank, set] of layers.entries()) {
    const option = HEADER_OPTIONS[rank] ?? '';
    const optionOf = (name: string) => (rank === REQUEST_LAYER && extensionOf(name)) || option;
    const given: object = typeof set === 'function' ? { '(computed)': 'when it is sent' } : set;
    for (const [name, value] of Object.entries(given)) {
      if (value === undefined) continue;
      headers.set(name.toLowerCase(), { text: `${name}: ${value}`, rule: 'H15', option: optionOf(name) });
    }
  }
  return {
    method: { text: method, rule: 'H13', option: 'actionMethods' },
    headers: [...headers.values()],
    ...(encoded && { body: { text: encoded.text, rule: 'H7', option: 'writer' } }),
  };
}
