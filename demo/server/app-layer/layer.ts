import type { HttpBindings } from '@hono/node-server';
import type Libsql from 'libsql';
import { isJsonObject, type Json, type JsonObject, member } from '../data/json.js';
import type { RowChange } from '../data/scope.js';
import type { Table } from '../data/table.js';
import { findTable, tables } from '../data/tables.js';
import { type Address, readAddress, readId } from '../http/address.js';
import { readBody } from '../http/body.js';
import type { Exchange } from '../http/exchange.js';
import { jsonReply, send } from '../http/reply.js';
import { route } from '../http/route.js';
import { Problem } from '../problem.js';
import { addAttachment, contentOf } from './attachments.js';
import { ChangeLog } from './change-log.js';
import { changeElsewhere, changeManyElsewhere, SOMEBODY_ELSE } from './elsewhere.js';
import { SignIns } from './sign-ins.js';
import { type Situation, Situations } from './situations.js';
import { sumsOfOrders } from './sums.js';

/** State of the server that the layer uses. */
interface LayerOptions {
  readonly database: () => Libsql.Database;
  readonly now: () => Date;
  /** Seconds for which a token is good. */
  readonly expiresIn: number;
  /** Number of changes that are kept for clients that come back. */
  readonly eventLog: number;
}

/** Parts of the request that only a server with a socket has. */
type Bindings = Partial<HttpBindings>;

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
// The tables whose changes one stream of `/app/events` tells, unless it names others.
const SHOP: readonly Table[] = [
  tables.customers,
  tables.categories,
  tables.orders,
  tables.lines,
  tables.attachments,
  tables.changes,
];
// Parts into which a slow upload is divided, each of which waits.
const UPLOAD_PART = 256 * 1024;

/**
 * The addresses below `/app`, which the web application uses: the same tables as below `/api`, for users who are signed in, with a stream of
 * changes, sums, and situations in which the server fails.
 */
export class AppLayer {
  private readonly signIns: SignIns;
  private readonly situations = new Situations();
  private readonly log: ChangeLog;

  constructor(private readonly options: LayerOptions) {
    this.signIns = new SignIns(options.expiresIn, options.now);
    this.log = new ChangeLog(options.eventLog, options.now().getTime());
  }

  /** Tells the streams what a request has changed, also a request to the plain addresses. */
  tell(changes: readonly RowChange[]): void {
    this.log.add(changes);
  }

  /** Makes clients read everything again, because the tables were filled anew. */
  reset(): void {
    this.situations.reset();
    this.log.addReset();
  }

  /** Ends all streams. */
  close(): void {
    this.log.endStreams();
  }

  /** Answers a request to an address below `/app`. */
  async answer(request: Request, url: URL, env: Bindings): Promise<Response> {
    const path = url.pathname.replace(/\/$/, '');
    if (request.method === 'POST' && path === '/app/situations') return this.changeSituation(await objectOf(request));
    if (request.method === 'POST' && path === '/app/elsewhere') return this.changeElsewhere(await readBody(request));
    if (request.method === 'POST' && path === '/app/sign-in') return this.signIn(await objectOf(request), env);
    if (request.method === 'POST' && path === '/app/renew') return this.renew(await objectOf(request), env);
    const situation = this.situations.of(this.signIns.clientOf(request));
    const failure = await failureOf(situation, env);
    if (failure) return failure;
    const name = this.signIns.nameOf(request);
    if (request.method === 'POST' && path === '/app/sign-out') {
      this.signIns.signOut(request);
      this.log.endStreams(name);
      return new Response(null, { status: 204 });
    }
    if (wantsEvents(request)) return this.open(request, url, path, name);
    if (request.method === 'GET' && path === '/app/orders/sums')
      return send(jsonReply(200, sumsOfOrders(this.options.database(), url.searchParams)));
    return await this.answerTables(slowed(request, situation), url, name);
  }

  private async answerTables(request: Request, url: URL, who: string): Promise<Response> {
    const content = /^\/app\/attachments\/([^/]+)\/content$/.exec(url.pathname);
    if (content && READING.has(request.method)) return contentOf(this.options.database(), readId(content[1]));
    const address = readAddress(url.pathname);
    if (!address) throw new Problem(404, 'There is nothing at this address');
    const changes: RowChange[] = [];
    const exchange = this.exchangeOf({ request, url, address, who, changes });
    if (!READING.has(request.method)) await refuseWrite(exchange, this.situations.of(who));
    const isUpload = address.table === tables.attachments && request.method === 'POST';
    const response = await (isUpload && address.id === undefined ? addAttachment(exchange) : route(exchange));
    this.tell(changes);
    return response;
  }

  private exchangeOf({
    address,
    ...rest
  }: Pick<Exchange, 'request' | 'url' | 'who' | 'changes'> & { readonly address: Address }): Exchange {
    const { database, now } = this.options;
    return { ...rest, address, table: address.table, db: database(), now: now().toISOString() };
  }

  private async signIn(body: JsonObject, env: Bindings): Promise<Response> {
    const name = member(body, 'name');
    const situation = this.situations.of(String(name));
    const failure = await failureOf(situation, env);
    if (failure) return failure;
    const grant = this.signIns.open(name);
    // The situation is that the sign-in has ended, which is over now.
    if (situation.broken === '401') this.situations.change(String(name), { broken: null });
    return send(jsonReply(200, { ...grant }));
  }

  private async renew(body: JsonObject, env: Bindings): Promise<Response> {
    const renewal = member(body, 'renewal');
    const failure = await failureOf(this.situations.of(this.signIns.clientOfRenewal(renewal)), env);
    return failure ?? send(jsonReply(200, { ...this.signIns.renew(renewal) }));
  }

  private changeSituation({ client, expire, ...body }: JsonObject): Response {
    if (typeof client !== 'string')
      throw new Problem(422, 'The situation is not valid', { errors: { client: ['must be the name of a user'] } });
    const situation = this.situations.change(client, body);
    if (expire === true) this.signIns.expire(client);
    if (situation.broken === '401') this.signIns.end(client);
    // A server that fails does not go on with its streams.
    if (situation.broken !== null && !WRITES_ONLY.has(situation.broken)) this.log.endStreams(client);
    return send(jsonReply(200, { client, ...situation }));
  }

  private changeElsewhere(body: Json = {}): Response {
    const changes: RowChange[] = [];
    const { database, now } = this.options;
    const scope = { db: database(), table: tables.orders, now: now().toISOString(), who: SOMEBODY_ELSE, changes };
    const many = isJsonObject(body) ? member(body, 'changes') : undefined;
    const changed = Array.isArray(many) ? changeManyElsewhere(scope, many) : changeElsewhere(scope, body);
    this.tell(changes);
    return send(jsonReply(200, changed));
  }

  private open(request: Request, url: URL, path: string, client: string): Response {
    const isOfAll = path === '/app/events';
    const names = url.searchParams.get('tables')?.split(',');
    const wanted = isOfAll ? (names?.map(findTable) ?? SHOP) : [readAddress(path)?.table];
    const known = wanted.filter((table) => table !== undefined);
    if (known.length < wanted.length) throw new Problem(404, 'There are no changes at this address');
    return this.log.open({
      client,
      tables: known,
      named: isOfAll,
      lastEventId: request.headers.get('Last-Event-ID'),
      fault: () => this.situations.of(client).feed,
    });
  }
}

const WRITES_ONLY: ReadonlySet<string> = new Set(['409', '422']);

function wantsEvents(request: Request): boolean {
  return request.method === 'GET' && /\btext\/event-stream\b/.test(request.headers.get('Accept') ?? '');
}

async function objectOf(request: Request): Promise<JsonObject> {
  const body = await readBody(request);
  if (body === undefined || !isJsonObject(body)) throw new Problem(400, 'The body must be an object');
  return body;
}

const PAGE = '<!doctype html><html lang="en"><title>Maintenance</title><h1>We are back in a minute</h1></html>';

/** The response of a server that fails for every request; waits first, if it is slow. */
async function failureOf({ slow, broken }: Situation, { incoming }: Bindings): Promise<Response | undefined> {
  if (slow > 0) await new Promise((resolve) => setTimeout(resolve, slow));
  if (broken === '500') throw new Problem(500, 'The server failed');
  if (broken === 'html') return new Response(PAGE, { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
  if (broken !== 'down') return undefined;
  incoming?.socket.destroy();
  return new Response(null, { status: 503 });
}

/** Refuses a write, if that is the situation: by a 409 with the row of the server, or by a 422 with an error of the first field. */
async function refuseWrite({ request, table }: Exchange, { broken }: Situation): Promise<void> {
  if (broken === '409') throw new Problem(409, `Somebody else is working on this ${table.singular}`);
  if (broken !== '422') return;
  const body = await readBody(request.clone()).catch(() => undefined);
  const entry = Array.isArray(body) ? (body as readonly Json[])[0] : body;
  const sent = entry !== undefined && isJsonObject(entry) ? Object.keys(entry) : [];
  const field = sent.find((name) => name !== 'id') ?? 'id';
  const name = Array.isArray(body) ? `0.${field}` : field;
  throw new Problem(422, `The ${table.singular} is not valid`, {
    errors: { [name]: ['is refused by the server today'] },
  });
}

/** The request with a body that arrives slowly, so that its progress can be seen, and it can be aborted. */
function slowed(request: Request, { slow }: Situation): Request {
  if (slow === 0 || !request.body) return request;
  const wait = Math.min(slow / 10, 200);
  const parts = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += UPLOAD_PART) {
        await new Promise((resolve) => setTimeout(resolve, wait));
        controller.enqueue(chunk.subarray(at, at + UPLOAD_PART));
      }
    },
  });
  return new Request(request.url, {
    method: request.method,
    headers: request.headers,
    body: request.body.pipeThrough(parts),
    duplex: 'half',
  } as RequestInit);
}
