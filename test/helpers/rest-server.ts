import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Received {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** The body as text; '' without one. */
  readonly text: string;
  /** The fields of a form, in either encoding; undefined for other bodies. */
  readonly form: FormData | undefined;
  /** The parsed body; undefined without one, and for a body that is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check the body
  readonly body: any;
}

/** A response of the server. */
export interface Reply {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged if there is no `json`. */
  readonly text?: string | Uint8Array;
  /** Whether the connection is cut instead. */
  readonly drop?: boolean;
}

/** A request that is answered when the test says so. */
export interface Held {
  /** Resolves when the request has arrived. */
  readonly request: Promise<Received>;
  answer(reply?: Reply): void;
}

/** An HTTP server whose responses are scripted; it records what it is asked. */
export interface RestServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly requests: readonly Received[];
  /** The last request. */
  readonly last: Received;
  /** `GET /users/7`, one per request. */
  readonly lines: readonly string[];
  /** Answers the next requests without a scripted response, in the order of their arrival. */
  reply(...replies: (Reply | ((request: Received) => Reply))[]): void;
  /** Answers every request without a scripted response. @default 501 */
  always(answer: (request: Received) => Reply | Promise<Reply>): void;
  /** Holds the response to the next request without a scripted response. */
  hold(): Held;
  /** Forgets requests and scripts. */
  reset(): void;
  stop(): Promise<void>;
}

type Answer = (request: Received) => Reply | Promise<Reply>;

const unscripted: Answer = ({ method, url }) => ({ status: 501, text: `nothing scripted for ${method} ${url}` });

/** Options of a server. */
export interface RestServerOptions {
  /** The file at a path, such as a page that sends requests to this server. Requests for files are not recorded. @default none */
  readonly file?: (path: string) => Reply | undefined;
}

/** Starts a server on a free port. */
export async function startRestServer({ file }: RestServerOptions = {}): Promise<RestServer> {
  let requests: Received[] = [];
  let script: Answer[] = [];
  let fallback = unscripted;

  const server = createServer(async (message, response) => {
    const request = await receive(message);
    // A browser sends a request again, without telling the page, if a connection that was used before is cut.
    if (file) response.shouldKeepAlive = false;
    const found = request.method === 'GET' ? file?.(request.path) : undefined;
    if (found) return send(response, found);
    requests.push(request);
    send(response, await (script.shift() ?? fallback)(request));
  });
  // On a busy machine, a connection that the server closes after a pause is cut under the next request.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    get last() {
      return requests.at(-1) as Received;
    },
    get lines() {
      return requests.map(({ method, url }) => `${method} ${url}`);
    },
    reply(...replies) {
      script.push(...replies.map((reply) => (typeof reply === 'function' ? reply : () => reply)));
    },
    always(answer) {
      fallback = answer;
    },
    hold() {
      const arrived = deferred<Received>();
      const answered = deferred<Reply>();
      script.push((request) => {
        arrived.resolve(request);
        return answered.promise;
      });
      return { request: arrived.promise, answer: (reply = {}) => answered.resolve(reply) };
    },
    reset() {
      requests = [];
      script = [];
      fallback = unscripted;
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function receive(message: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString();
  const { method = '', url = '', headers } = message;
  const { pathname: path, searchParams: query } = new URL(url, 'http://host');
  const { 'content-type': type = 'json' } = headers;
  const form = /form/.test(type)
    ? await new Response(bytes, { headers: { 'Content-Type': type } }).formData()
    : undefined;
  const isJson = text !== '' && /json/.test(type);
  return { method, url, path, query, headers, text, form, body: isJson ? JSON.parse(text) : undefined };
}

function send(response: ServerResponse, { status = 200, headers = {}, json, text, drop = false }: Reply): void {
  if (drop) return void response.destroy();
  const body = json === undefined ? text : JSON.stringify(json);
  const type = json === undefined ? {} : { 'Content-Type': 'application/json' };
  response.writeHead(status, { ...type, ...headers }).end(body);
}

/** A promise with the function that resolves it. */
export function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
