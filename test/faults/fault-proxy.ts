import {
  Agent,
  createServer,
  request as forwardTo,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises';
import { Random } from './random.js';

/** A fault that happens to a request. */
export type FaultKind =
  | 'none'
  /** The connection breaks before the request reaches the server. */
  | 'drop'
  /** The connection breaks after the server handled the request. */
  | 'lose'
  /** The request or its response is delayed. */
  | 'delay'
  /** The body arrives in two parts. */
  | 'slow'
  /** No response in time, and the request does not reach the server. */
  | 'hang'
  /** No response in time; the server handles the request after the client's timeout. Only if that cannot overwrite anything. */
  | 'late'
  /** The server gets the request twice, as some gateways repeat it. Only if that cannot overwrite anything. */
  | 'twice'
  /** The connection is reset within the body. */
  | 'reset'
  /** The body ends too early, without an error. */
  | 'truncate'
  /** 429 or 503 with `Retry-After`; the request does not reach the server. */
  | 'limit'
  /** Another 5xx or 408; the request does not reach the server. */
  | 'refuse'
  /** 5xx after the server handled the request. */
  | 'refuseAfter'
  /** The server is down. */
  | 'down';

/** Faults and their weights. */
const weights: Readonly<Partial<Record<FaultKind, number>>> = {
  drop: 4,
  lose: 6,
  delay: 6,
  slow: 2,
  hang: 0.4,
  late: 1,
  twice: 3,
  reset: 4,
  truncate: 3,
  limit: 4,
  refuse: 4,
  refuseAfter: 5,
};

/** One request as the proxy saw it. */
export interface Seen {
  readonly client: number;
  /** Number among the requests of this client, from 1. */
  readonly number: number;
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
  readonly headers: IncomingMessage['headers'];
  fault: FaultKind;
  /** The response of the server, if there was one. */
  status?: number;
}

export interface FaultProxyOptions {
  readonly seed: number;
  readonly client: number;
  /** Share of the requests that meet a fault, at the worst times. */
  readonly rate: number;
  /** Milliseconds after which clients abort a request. */
  readonly timeout: number;
  readonly server: { readonly address: { readonly host: string; readonly port: number } };
  /** Called before a request is forwarded and after it was answered, to kill clients. */
  readonly arrived: (seen: Seen, phase: 'before' | 'after') => void;
  /** Called when a request has been handled. */
  readonly ended: (seen: Seen) => void;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Forwards the requests of one client to the server, with the faults of the seed. */
export class FaultProxy {
  /** Whether all requests pass without faults. */
  quiet = false;
  /** Requested addresses outside the collections, or without the id of a row. */
  readonly outside: string[] = [];
  private count = 0;
  private readonly server: Server;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly sockets = new Set<Socket>();
  private readonly busy = new Set<Promise<void>>();
  /** The last write of each address without protection against late arrival: the next write waits for it. */
  private readonly unguarded = new Map<string, Promise<unknown>>();

  constructor(private readonly options: FaultProxyOptions) {
    this.server = createServer((request, response) => {
      const work: Promise<void> = this.answer(request, response)
        .catch(() => void request.socket.destroy())
        .finally(() => this.busy.delete(work));
      this.busy.add(work);
    });
    this.server.keepAliveTimeout = 60_000;
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  /** Starts to listen and returns the origin. */
  listen(): Promise<string> {
    return new Promise((resolve) => {
      this.server.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}`),
      );
    });
  }

  /** Waits for all requests in flight, even if the client has ended. */
  async settle(): Promise<void> {
    while (this.busy.size > 0) await Promise.all(this.busy);
  }

  async close(): Promise<void> {
    await this.settle();
    for (const socket of this.sockets) socket.destroy();
    this.agent.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { client, arrived, ended } = this.options;
    const number = ++this.count;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = request;
    const seen: Seen = { client, number, method, url, headers, body: Buffer.concat(chunks), fault: 'none' };
    this.inspect(seen);
    arrived(seen, 'before');
    try {
      await this.suffer(seen, request.socket, response);
    } finally {
      arrived(seen, 'after');
      ended(seen);
    }
  }

  private inspect({ method, url, body }: Seen): void {
    const [, collection, id] =
      /^\/(?:plain|classic|api)\/(teams|users|tasks)(?:\/([1-9]\d*))?(?:\?.*)?$/.exec(url) ?? [];
    const text = body.toString();
    const right =
      collection !== undefined &&
      (method === 'GET' || (method === 'POST' ? id === undefined : id !== undefined || text.startsWith('[')));
    const sent = right && id && text.startsWith('{') ? (JSON.parse(text) as { id?: unknown }).id : undefined;
    if (!right || (sent !== undefined && String(sent) !== id)) this.outside.push(`${method} ${url} ${text}`);
  }

  /** The fault for a request: depends on the seed and the request's number only, not on time. */
  private choose({ client, number, method, headers }: Seen, random: Random): FaultKind {
    // Faults come in storms: none for some tens of requests, then many.
    const weather = new Random(this.options.seed, 'weather', client, Math.floor(number / 60)).next();
    if (this.quiet || this.options.rate === 0) return 'none';
    // From time to time there is no network for a while.
    const sky = new Random(this.options.seed, 'outage', client, Math.floor(number / 30));
    if (sky.chance(0.1) && number % 30 < sky.integer(10, 30)) return 'drop';
    if (!random.chance(this.options.rate * weather)) return 'none';
    const fault = random.weighed(weights);
    return (fault === 'late' || fault === 'twice') && !isGuarded({ method, headers }) ? 'lose' : fault;
  }

  private async suffer(seen: Seen, socket: Socket, response: ServerResponse): Promise<void> {
    const random = new Random(this.options.seed, 'fault', seen.client, seen.number);
    const fault = (seen.fault = this.choose(seen, random));
    const patience = this.options.timeout * 1.5;
    switch (fault) {
      case 'drop':
        return void cut(socket, random);
      case 'limit': {
        const wait = random.chance(0.9) ? '0' : '1';
        const after = random.chance(0.8) ? wait : new Date(Date.now() + Number(wait) * 1000).toUTCString();
        return refuse(response, random.pick([429, 503]), { 'Retry-After': after });
      }
      case 'refuse':
        return refuse(response, random.pick([408, 500, 502, 503, 504]));
      case 'hang':
        await sleep(patience);
        return void cut(socket, random);
      case 'late':
        await sleep(patience);
        break;
      case 'delay':
        if (random.chance(0.5)) await sleep(random.integer(1, 25));
        break;
      default:
    }
    // Like the fault 'late', a slow machine must not let an old write arrive after a newer one.
    const guarded = isGuarded(seen);
    const [path = ''] = seen.url.split('?', 1);
    if (!guarded) await Promise.all([tick(), this.unguarded.get(path)]);
    if (!guarded && socket.destroyed) return;
    const asked = Promise.all(fault === 'twice' ? [this.ask(seen), this.ask(seen)] : [this.ask(seen)]);
    if (!guarded) this.unguarded.set(path, asked);
    const answers = await asked;
    if (this.unguarded.get(path) === asked) this.unguarded.delete(path);
    const answer = random.pick(answers);
    if (!answer) return void cut(socket, random);
    if (fault === 'delay') await sleep(random.integer(1, 25));
    if (fault === 'lose') return void cut(socket, random);
    if (fault === 'refuseAfter') return refuse(response, random.pick([500, 502, 503, 504]));
    if (answer.body.length > 1 && ['slow', 'reset', 'truncate'].includes(fault)) {
      return this.spoil(fault, answer, socket, response, random);
    }
    reply(response, answer);
  }

  private async spoil(
    fault: FaultKind,
    { status, headers, body }: Answer,
    socket: Socket,
    response: ServerResponse,
    random: Random,
  ): Promise<void> {
    const at = random.integer(1, body.length - 1);
    if (fault === 'truncate') return reply(response, { status, headers, body: body.subarray(0, at) });
    response.writeHead(status, { ...passed(headers), 'content-length': body.length });
    response.write(body.subarray(0, at));
    await sleep(random.integer(1, 10));
    if (fault === 'reset') socket.resetAndDestroy();
    else response.end(body.subarray(at));
  }

  /** Forwards a request once or twice; undefined if the server is down. */
  private async ask(seen: Seen): Promise<Answer | undefined> {
    try {
      const answer = await this.forward(seen);
      seen.status = answer.status;
      return answer;
    } catch {
      seen.fault = 'down';
      return undefined;
    }
  }

  private forward({ method, url, headers, body }: Seen): Promise<Answer> {
    const { address } = this.options.server;
    return new Promise((resolve, reject) => {
      const { agent } = this;
      const request = forwardTo({
        ...address,
        agent,
        method,
        path: url,
        headers: { ...headers, connection: 'keep-alive' },
      });
      request.on('error', reject);
      request.on('response', (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        );
      });
      request.end(body);
    });
  }
}

/** Whether a late or repeated request changes nothing: the server refuses it, or gives its first response again. */
function isGuarded({ method, headers }: Pick<Seen, 'method' | 'headers'>): boolean {
  return method === 'GET' || headers['if-match'] !== undefined || headers['idempotency-key'] !== undefined;
}

/** Breaks a connection, with or without a reset. */
function cut(socket: Socket, random: Random): void {
  if (random.chance(0.5)) socket.resetAndDestroy();
  else socket.destroy();
}

function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'Content-Type': 'text/plain', ...headers }).end('a fault of the campaign');
}

function reply(response: ServerResponse, { status, headers, body }: Answer): void {
  const length = status === 204 || status === 304 ? {} : { 'content-length': body.length };
  response.writeHead(status, { ...passed(headers), ...length }).end(body);
}

/** Headers without those that belong to one connection. */
function passed(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { connection, 'keep-alive': _, 'transfer-encoding': __, 'content-length': ___, ...rest } = headers;
  return rest;
}
