import { ReadError } from '../../errors/read-error.js';
import { type HttpResponse, type Limit, responseOf, toUtf8 } from '../../http/http-response.js';
import type { RowsListener } from '../../operation/operation.js';
import type { ProxyRequest } from '../../operation/proxy-request.js';
import type { Clock } from '../../util/clock.js';
import { parsePath, readPath, withPath } from '../../util/data-path.js';
import { type ParsedJson, parseJson } from '../../util/json.js';
import type { JsonReader } from '../json-reader.js';
import { DocumentCutter } from './document-cutter.js';
import { LineCutter } from './line-cutter.js';
import { RowStream } from './row-stream.js';

/** Options of {@link readStream}. */
export interface ReadStreamConfig {
  /** Its `delivered` is set as soon as rows are delivered. */
  readonly request: ProxyRequest;
  readonly reader: JsonReader;
  readonly clock: Clock;
  /** Its abort ends the reading. */
  readonly signal: AbortSignal;
  /** Applies the time limit to a wait for the server. */
  readonly limit: Limit;
}

/** Longest time in milliseconds that parsed rows wait for more rows before they are delivered. */
const PATIENCE = 50;

/**
 * Receives a list: delivers its rows as they arrive, or collects them. The returned response holds the rest of the document and the
 * rows that were not delivered.
 */
export async function readStream(raw: Response, config: ReadStreamConfig): Promise<HttpResponse> {
  const { reader, request } = config;
  const { status, headers, url, redirected } = raw;
  const lines = reader.type === 'ndjson' || /ndjson|jsonl/.test(headers.get('content-type') ?? '');
  const { rootProperty, totalProperty } = reader;
  const { list = '' } = reader.recordPlaces;
  // The reader refuses to stream with a function as its `rootProperty` or `record`.
  const path = lines || !rootProperty ? [] : parsePath(rootProperty as string);
  const cutter = lines ? new LineCutter() : new DocumentCutter(path);
  const convert = toUtf8(headers.get('content-type'));
  const all: object[] = [];
  const collect = (rows: readonly object[]) => {
    for (const row of rows) all.push(row);
  };
  // `transform` needs the complete body, so no rows can be delivered early.
  const { onRows } = reader.transform ? {} : request.operation;
  const deliver: RowsListener | undefined =
    onRows &&
    ((rows, progress) => {
      request.delivered = true;
      return onRows(rows, progress);
    });
  const stream = new RowStream({
    ...{ cutter, status, signal: config.signal },
    totalProperty: typeof totalProperty === 'string' ? totalProperty : '',
    // Collected rows go through the reader at the end, which applies the path `record` itself.
    record: onRows ? (list as string) : '',
    // Compressed and converted bodies have another length.
    totalBytes:
      convert || headers.has('content-encoding') ? undefined : Number(headers.get('content-length')) || undefined,
    onRows: deliver ?? collect,
  });
  const fail = (reason: string, params: object, cause?: unknown) =>
    new ReadError(reason, { row: stream.records, offset: cutter.offset, ...params }, { cause });
  await readInto(raw, stream, config, (chunk) => {
    try {
      return convert ? convert(chunk) : chunk;
    } catch (cause) {
      throw fail('stream-row', { why: (cause as Error).message }, cause);
    }
  });
  const text = cutter.rest;
  const head = { status, headers, url, redirected, raw };
  if (text === undefined) throw fail('stream-end', {});
  if (!text.trim()) return { ...head, text, body: undefined };
  let rest: ParsedJson;
  try {
    rest = parseJson(text);
  } catch (cause) {
    const why = (cause as Error).message;
    if (!stream.begun) return { ...head, text, body: text, malformed: why };
    throw fail('stream-rest', { why }, cause);
  }
  if (!stream.begun) return responseOf(rest, text, head);
  const root = Array.isArray(rest.value) ? [] : path;
  const empty = readPath(rest.value, root);
  if (!Array.isArray(empty) || empty.length) throw fail('stream-root', { path: rootProperty });
  const body = { value: withPath(rest.value, root, all), long: rest.long || stream.long };
  return responseOf(body, text, { ...head, ...(onRows && { streamed: stream.records }) });
}

/** Passes the chunks of a body to a stream of rows. */
async function readInto(
  raw: Response,
  stream: RowStream,
  config: ReadStreamConfig,
  convert: (chunk?: Uint8Array) => Uint8Array | undefined,
): Promise<void> {
  const { signal, limit } = config;
  const push = async (chunk?: Uint8Array) => {
    const bytes = convert(chunk);
    if (bytes?.length) await stream.push(bytes);
  };
  const source = raw.body?.getReader();
  // A platform that does not stream bodies gives the whole body as one chunk.
  if (!source) await push(new Uint8Array(await limit(raw.arrayBuffer())));
  else {
    const cancel = () => void source.cancel().catch(() => undefined);
    // Needed for a `fetch` that ignores its signal.
    signal.addEventListener('abort', cancel);
    try {
      for (let chunk: Uint8Array | undefined; (chunk = await nextChunk(source, stream, config)); ) await push(chunk);
    } catch (error) {
      cancel();
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
  signal.throwIfAborted();
  await push();
  await stream.end();
}

/** Waits for the next chunk. If it does not arrive soon, the rows that are ready are delivered meanwhile. */
async function nextChunk(
  source: ReadableStreamDefaultReader<Uint8Array>,
  stream: RowStream,
  { clock, limit, signal }: ReadStreamConfig,
): Promise<Uint8Array | undefined> {
  const read = limit(source.read());
  if (stream.waits) {
    let stop: (() => void) | undefined;
    const pause = new Promise<true>((resolve) => {
      stop = clock.after(PATIENCE, () => resolve(true));
    });
    // Rows that arrived before the connection broke are delivered too.
    const arrived = read.then(
      () => false,
      () => !signal.aborted,
    );
    const late = await Promise.race([arrived, pause]);
    stop?.();
    if (late) await stream.flush();
  }
  return (await read).value;
}
