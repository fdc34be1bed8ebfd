import type { createParser, EventSourceMessage, EventSourceParser } from 'eventsource-parser';
import { checkOptions } from '../dev/checks.js';
import { liveMessages } from '../dev/texts.js';
import { inWords } from '../errors/error-context.js';
import { describe } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { any, callable, flag, milliseconds, type Rules, string } from '../errors/option-rules.js';
import { quote } from '../errors/quoted-text.js';
import { ReadError } from '../errors/read-error.js';
import { TimeoutError } from '../errors/request-errors.js';
import type { HttpResponse } from '../http/http-response.js';
import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import { modelClass } from '../model/model-options.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import { AjaxProxy, RECEIVE, type SentConfig } from '../proxy/ajax-proxy.js';
import { type Clock, systemClock } from '../util/clock.js';
import { parseJson } from '../util/json.js';
import type { FeedChange, FeedConnection, FeedSink, OpenFeed } from './feed-config.js';

/** One event of the server. */
export interface ServerSentEvent {
  /** @default 'message' */
  readonly event: string;
  readonly data: string;
  /** The id, which is the cursor behind this event. */
  readonly id: string | undefined;
}

/** Options of `serverSentEvents()`. */
export interface ServerSentEventsConfig {
  /** The address of the events. @default the address of the collection */
  url?: string | undefined;
  /** Query parameters, or a function that returns those for a connection, for example by its query. @default none */
  params?:
    | Readonly<Record<string, unknown>>
    | ((connection: Pick<FeedConnection, 'query' | 'cursor'>) => Readonly<Record<string, unknown>>)
    | undefined;
  /**
   * Reads the changes of an event; `'gap'`: changes may have been missed; an empty list: the event says nothing of rows.
   *
   * @example
   * ```ts
   * import { serverSentEvents } from 'repose/live';
   *
   * const open = serverSentEvents(Task, {
   *   read({ event, data }) {
   *     const row = JSON.parse(data);
   *     return event === 'deleted' ? [{ removed: row.id }] : [{ row }];
   *   },
   * });
   * ```
   * @default JSON: `{ row }`, `{ removed }`, with or without `model`, or a list of these; the event `reset` is a gap
   */
  read?: ((event: ServerSentEvent) => readonly FeedChange[] | 'gap') | undefined;
  /**
   * The longest time without anything from the server, in milliseconds, after which the connection counts as lost; 0: no limit. Many servers
   * send a comment every 15 to 30 seconds. @default 0
   */
  silence?: number | undefined;
  /**
   * Whether the ids of the events are whole numbers without holes: an event that does not follow the one before it is then a gap, so that
   * changes which the server has skipped are noticed. Only for streams that send every number, not a filtered
   * part of them. @default false
   */
  consecutive?: boolean | undefined;
  /** The source of time; for tests. */
  clock?: Clock | undefined;
}

const EVENTS_RULES: Rules<ServerSentEventsConfig> = {
  url: string,
  params: any,
  read: callable,
  silence: /* @__PURE__ */ milliseconds(0),
  consecutive: flag,
  clock: any,
};

/**
 * Opens connections of a feed by Server-Sent Events: a `GET` with the proxy's headers, sign-in and extensions, like any request. The id of
 * an event is the cursor, and goes back as `Last-Event-ID`.
 *
 * Follows the [standard](https://html.spec.whatwg.org/multipage/server-sent-events.html): the answer 204 ends the feed until `reconnect()`,
 * and `retry:` sets the wait before the next connection. The reconnects are those of the feed, with its `backoff`. Needs the package
 * `eventsource-parser`, which it imports with the first connection. Throws `DefinitionError` for wrong options, and for a model whose proxy sends no requests.
 *
 * @example
 * ```ts
 * import { feed, serverSentEvents } from 'repose/live';
 *
 * feed(tasks, { open: serverSentEvents(Task, { url: '/tasks/events' }) });
 * ```
 */
export function serverSentEvents<M extends Model>(
  model: ModelType<M>,
  config: ServerSentEventsConfig = {},
): OpenFeed<M> {
  return inWords(liveMessages, () => {
    if (!modelClass.holds(model)) throw new DefinitionError('feed-model', { value: describe(model) });
    checkOptions('serverSentEvents', config, EVENTS_RULES);
    const { proxy } = model;
    if (!(proxy instanceof AjaxProxy)) throw new DefinitionError('feed-proxy', { type: proxy.constructor.name });
    return (connection) => inWords(liveMessages, () => listen(proxy, config, connection));
  });
}

async function listen(
  proxy: AjaxProxy,
  config: ServerSentEventsConfig,
  { cursor, query, signal, sink }: FeedConnection,
): Promise<void> {
  const { url, params = {}, silence = 0, clock = systemClock } = config;
  const headers = { Accept: 'text/event-stream' };
  const { createParser: create } = await import('eventsource-parser').catch(missingPackage);
  const reader = new EventReader(config, sink, cursor, create);
  const call: SentConfig = {
    ...(url === undefined ? {} : { url }),
    params: typeof params === 'function' ? params({ query, cursor }) : params,
    headers: cursor === undefined ? headers : { ...headers, 'Last-Event-ID': bytesOf(cursor) },
    signal,
    [RECEIVE]: (request: ProxyRequest) => (raw: Response) => {
      // A repeat by an extension would go on from the cursor of this connection, not from the last change.
      request.delivered = true;
      return receive(raw, signal, reader, { silence, clock });
    },
  };
  await proxy.send(call);
}

/** Throws the error of a package that could not be imported. A part of a page that could not be loaded may come at the next attempt. */
function missingPackage(cause: unknown): never {
  if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
  throw new DefinitionError('feed-package', {}, { cause, messages: liveMessages });
}

/** A text as the value of a header, whose characters are bytes: in UTF-8, as the standard says. */
function bytesOf(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** Reads the events of a response until it ends. */
async function receive(
  raw: Response,
  signal: AbortSignal,
  reader: EventReader,
  { silence, clock }: { readonly silence: number; readonly clock: Clock },
): Promise<HttpResponse> {
  const { status, headers, url, redirected } = raw;
  if (status === 204) throw new ReadError('feed-ended', { url }, { messages: liveMessages });
  const type = headers.get('content-type') ?? '';
  const source = raw.body?.getReader();
  if (!source || !/^text\/event-stream\b/i.test(type)) {
    const params = { url, status, type: type || 'no content type' };
    void source?.cancel().catch(() => undefined);
    throw new ReadError('feed-no-events', params, { messages: liveMessages });
  }
  // Needed for a `fetch` that ignores its signal.
  const cancel = () => void source.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    reader.opened();
    const decoder = new TextDecoder();
    for (let part = await nextPart(); !part.done; part = await nextPart())
      reader.push(decoder.decode(part.value, { stream: true }));
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
  return { status, headers, url, redirected, raw, text: '', body: undefined };

  async function nextPart(): Promise<ReadableStreamReadResult<Uint8Array>> {
    const next = (source as ReadableStreamDefaultReader<Uint8Array>).read();
    if (silence === 0) return await next;
    let stop: (() => void) | undefined;
    const late = new Promise<never>((_, reject) => {
      stop = clock.after(silence, () => reject(new TimeoutError(silence)));
    });
    try {
      return await Promise.race([next, late]);
    } finally {
      stop?.();
    }
  }
}

/** The most characters of one event: a stream without an end of its first event must not fill the memory. */
const LONGEST_EVENT = 64 * 1024 * 1024;

/** Turns the text of a stream into changes. */
class EventReader {
  private readonly parser: EventSourceParser;
  private readonly read: NonNullable<ServerSentEventsConfig['read']>;
  private readonly isConsecutive: boolean;

  /** @param last The id of the event before. */
  constructor(
    { read = readJson, consecutive = false }: ServerSentEventsConfig,
    private readonly sink: FeedSink,
    private last: string | undefined,
    create: typeof createParser,
  ) {
    this.read = read;
    this.isConsecutive = consecutive;
    this.parser = create({
      onEvent: (event) => this.take(event),
      onRetry: (wait) => sink.retryAfter(wait),
      maxBufferSize: LONGEST_EVENT,
      // Other errors are lines that the standard ignores.
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') throw error;
      },
    });
  }

  opened(): void {
    this.sink.live();
  }

  push(text: string): void {
    this.parser.feed(text);
  }

  private take({ event = 'message', data, id }: EventSourceMessage): void {
    const changes = this.read({ event, data, id });
    const isSkipped = this.isConsecutive && id !== undefined && this.skips(id);
    // The cursor of a gap counts: the rows are read again, and the server goes on from here.
    this.sink.changes(changes === 'gap' ? [] : changes, id);
    if (changes === 'gap' || isSkipped) this.sink.reset('gap');
  }

  /** Whether events are missing between the one before and this one, or the server has begun to count anew. */
  private skips(id: string): boolean {
    if (!/^\d+$/.test(id)) throw new DefinitionError('feed-number', { id: quote(id) }, { messages: liveMessages });
    const { last } = this;
    this.last = id;
    // Several events may tell of one change.
    return last !== undefined && BigInt(id) !== BigInt(last) && BigInt(id) !== BigInt(last) + 1n;
  }
}

function readJson({ event, data }: ServerSentEvent): readonly FeedChange[] | 'gap' {
  if (event === 'reset') return 'gap';
  if (data === '') return [];
  let value: unknown = data;
  try {
    // Keeps every digit of numbers that JavaScript cannot hold, such as long ids.
    value = parseJson(data).value;
  } catch {
    // The feed tells of what is no change, and reads what it may have changed.
  }
  return (Array.isArray(value) ? value : [value]) as readonly FeedChange[];
}
