import type { Call } from '../extension/call.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import { isList } from '../operation/operation.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import type { JsonReader } from '../reader/json-reader.js';
import { readStream } from '../reader/stream/read-stream.js';

/** Types of bodies that hold a row per line. */
const LINES = 'application/x-ndjson, application/jsonl';

/**
 * Reads lists while they arrive, so that rows are there before the body is complete, and a long text is never in memory. The
 * proxy's reader says which lists: those of a JSON document with `stream: true`, lines with `type: 'ndjson'`. Rows go to
 * `operation.onRows`, or to a store with the part `streamIntake`.
 *
 * @example
 * ```ts
 * class Reading extends Model.define({
 *   fields: { id: 'int', value: 'number' },
 *   proxy: { url: '/readings', reader: { rootProperty: 'data', stream: true }, use: [streaming()] },
 * }) {}
 * ```
 */
export function streaming(): Extension {
  return Object.freeze<Extension>({
    name: 'streaming',
    layer: LAYERS.streaming,
    prepare(request, { reader }) {
      // Above the proxy's `headers`, which ask for JSON because they are for its other requests, too.
      if (reader.type === 'ndjson' && isStreamed(request, reader))
        request.headers = { Accept: LINES, ...request.headers };
    },
    send(call, next) {
      if (isStreamed(call.request, call.proxy.reader)) call.receive = receiveRows(call);
      return next(call);
    },
  });
}

/** Whether the rows of an answer are read while they arrive. */
function isStreamed({ operation, named }: ProxyRequest, { stream, type }: JsonReader): boolean {
  // A call that is no CRUD has no rows.
  return named === undefined && isList(operation) && (stream || type === 'ndjson');
}

function receiveRows(call: Call): Call['receive'] {
  const { operation } = call.request;
  const { reader, clock } = call.proxy;
  return (raw, limit, signal) => readStream(raw, { operation, reader, clock, signal, limit, call });
}
