import { checkNoOptions } from '../dev/checks.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { Receive } from '../http/http-response.js';
import { isList } from '../operation/operation.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { JsonReader } from '../reader/json-reader.js';
import { readStream } from '../reader/stream/read-stream.js';
import { INTAKE, type IntakeExtension } from '../store/load-intake.js';
import { StreamIntake } from '../store/stream-intake.js';

/** The media types of bodies with one row per line. */
const LINES = 'application/x-ndjson, application/jsonl';

/**
 * Reads lists while they arrive, so that the first rows are available before the body is complete and the whole text is never in
 * memory. The proxy's reader decides which lists are streamed: JSON documents with `stream: true`, and one row per line with
 * `type: 'ndjson'`. The rows go to `operation.onRows`, or to a store, which shows them at once. Throws `DefinitionError` if it is given
 * options: it has none.
 *
 * @example
 * ```ts
 * class Reading extends Model.define({
 *   fields: { id: 'int', value: 'number' },
 *   proxy: { url: '/readings', reader: { rootProperty: 'data', stream: true }, use: [streaming()] },
 * }) {}
 * ```
 */
export function streaming(...none: readonly never[]): Extension {
  checkNoOptions('streaming', none);
  return Object.freeze<IntakeExtension>({
    name: 'streaming',
    layer: LAYERS.streaming,
    [INTAKE]: (recordSet, pages) => new StreamIntake(recordSet, pages),
    prepare(request, { reader }) {
      // A header of the request overrides the proxy's `headers`, which ask for JSON because they also serve other requests.
      if (reader.type === 'ndjson' && isStreamed(request, reader))
        request.headers = { Accept: LINES, ...request.headers };
    },
    send(request, next, proxy) {
      if (isStreamed(request, proxy.reader)) request.receive = receiveRows(request, proxy);
      return next(request);
    },
  });
}

/** Whether the rows of the response to a request are read while they arrive. */
function isStreamed({ operation, named }: ProxyRequest, { stream, type }: JsonReader): boolean {
  // The response to a custom action has no rows.
  return named === undefined && isList(operation) && (stream || type === 'ndjson');
}

function receiveRows(request: ProxyRequest, { reader, clock }: DataProxy): Receive {
  return (raw, limit, signal) => readStream(raw, { request, reader, clock, signal, limit });
}
