import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Random } from '../random.js';
import { type Asked, understand } from './asked.js';
import { canonical, entriesOf, type Members, membersOf, rowText } from './exact-json.js';
import { type KindName, kindOf, kinds, REFUSED_RANK, type Topic } from './kinds.js';
import { type Ledger, refOf } from './ledger.js';
import { chooseRedirect, chooseReply, chooseTrouble, type Redirect, type Reply } from './oddities.js';
import { defaultsOf } from './rows.js';

export interface HostileServerOptions {
  readonly seed: number;
  readonly topics: ReadonlySet<Topic>;
  /** Share of the requests that meet trouble. */
  readonly rate: number;
  readonly ledger: Ledger;
  /** Called when a request has arrived, before anything is done. */
  readonly arrived: (number: number) => void;
  /** Called with every request and its response, for debugging. */
  readonly note: (line: string) => void;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly location?: string | undefined;
}

/** Rows that are read only, and must never change. */
const STRANGERS = 3;
/** Share of the requests that break in a storm. */
const STORM = 0.8;

/** A REST server that keeps rows as JSON texts, and answers in every way that servers answer. */
export class HostileServer {
  /** Whether it answers as usual. */
  quiet = false;
  /** Whether it answers as usual while the application starts. */
  calm = false;
  /** Whether most requests break. */
  stormy = false;
  /** Number of requests that are being handled. */
  active = 0;
  private readonly rows = new Map<KindName, Map<string, Members>>();
  /** The rows by reference. */
  private readonly byRef = new Map<string, Members>();
  /** The creates that were done under a key. */
  private readonly keys = new Map<string, { body: string; row: Members }>();
  /** Number of requests. */
  count = 0;
  private made = 0;
  private readonly server: Server;
  /** Receives requests that a redirect sends to another origin: none must ever arrive. */
  private readonly elsewhere: Server;
  private readonly sockets = new Set<Socket>();

  constructor(private readonly options: HostileServerOptions) {
    this.server = this.listener((request, response) => this.take(request, response));
    this.elsewhere = this.listener(({ method, url, headers }, response) => {
      const secret = headers['x-api-key'] ? ', with the key of the application' : '';
      options.ledger.strayed(`${method} ${url} was sent to another origin${secret}`);
      response.end('[]');
    });
    for (const kind of kinds) {
      this.rows.set(kind, new Map());
      for (let at = 0; at < STRANGERS; at += 1) this.insert(kind, { ref: `"stranger ${at}"`, note: '"private"' });
    }
  }

  /** Starts to listen and returns the origin. */
  async listen(): Promise<string> {
    for (const server of [this.server, this.elsewhere])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return originOf(this.server);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    for (const server of [this.server, this.elsewhere]) await new Promise((resolve) => server.close(resolve));
  }

  /** The row with a reference, found like a row with a natural key. */
  find(ref: string): Members | undefined {
    return this.byRef.get(ref);
  }

  /** The references of all created rows. */
  references(): string[] {
    return kinds.flatMap((kind) => [...this.rowsOf(kind).values()].map(refOf)).filter((ref) => ref.startsWith('@'));
  }

  private listener(take: (request: IncomingMessage, response: ServerResponse) => unknown): Server {
    const server = createServer((request, response) => void take(request, response));
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    });
    return server;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.active += 1;
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const number = ++this.count;
      this.options.arrived(number);
      const body = Buffer.concat(chunks).toString();
      const asked = understand(request, body, number);
      const { method, url } = request;
      if (!asked) this.options.ledger.strayed(`${method} ${url} ${body}`);
      const answer = asked ? this.answer(asked) : { status: 204 };
      this.options.note(`${number} ${method} ${url} ${body} → ${JSON.stringify(answer)}`);
      if (!answer) return void request.socket.resetAndDestroy();
      const { status, location } = answer;
      const headers = { 'Content-Type': 'application/json', ...(location !== undefined && { Location: location }) };
      response.writeHead(status, headers).end(answer.body);
    } catch {
      request.socket.destroy();
    } finally {
      this.active -= 1;
    }
  }

  /** The response to a request; undefined for none. */
  private answer(asked: Asked): Answer | undefined {
    const { seed, topics, rate } = this.options;
    const random = new Random(seed, 'answer', asked.number);
    const quiet = this.quiet || this.calm;
    const trouble = chooseTrouble(this.stormy ? STORM : rate, quiet, random);
    if (trouble === 'drop') return undefined;
    if (trouble === 'refuse') return { status: 503 };
    const reply = chooseReply(asked.what, topics, quiet, random);
    const redirect = reply === 'redirect' ? chooseRedirect(asked.what, random) : undefined;
    if (redirect && !redirect.done) return this.redirect(asked, redirect, random);
    const answer = this.perform(asked, reply, random);
    if (trouble === 'lose') return undefined;
    if (trouble === 'refuseAfter') return { status: 503 };
    return redirect && answer.status < 300 ? this.redirect(asked, redirect, random) : answer;
  }

  private redirect({ kind, path }: Asked, { status, target }: Redirect, random: Random): Answer {
    const neighbour = random.pick([...this.rowsOf(kind).keys()]);
    const location = {
      collection: `/${kind}`,
      neighbour: `/${kind}/${neighbour.replaceAll('"', '')}`,
      job: '/jobs/7',
      origin: `${originOf(this.elsewhere)}${path}`,
      moved: `/moved${path}`,
      itself: path,
    }[target];
    return { status, location };
  }

  private perform(asked: Asked, reply: Reply, random: Random): Answer {
    const { kind, what, id, many } = asked;
    if (many) return this.performMany(asked, reply, random);
    const row = this.rowsOf(kind).get(id);
    if (what === 'list') return { status: 200, body: `[${[...this.rowsOf(kind).values()].map(rowText).join(',')}]` };
    if (what === 'create') return this.create(asked, reply, random);
    if (!row) return missing;
    if (what === 'update') {
      const answer = this.update(asked, row);
      if (answer) return answer;
    }
    if (what === 'destroy') {
      this.delete(kind, id, row);
      return reply === 'empty' ? { status: 204 } : { status: 200, body: '{"ok":true}' };
    }
    const now = this.rowsOf(kind).get(id) as Members;
    const other = random.pick([...this.rowsOf(kind).values()].filter((each) => each !== now));
    const { id: otherId = '' } = other;
    if (reply === 'empty') return { status: 204 };
    if (reply === 'short') return { status: 200, body: '{"ok":true}' };
    if (reply === 'foreignRow') return { status: 200, body: rowText(other) };
    if (reply === 'foreignId') return { status: 200, body: rowText({ id: otherId }) };
    return { status: 200, body: rowText(reply === 'capitals' ? { ...now, id: id.toUpperCase() } : now) };
  }

  /** Writes a list of rows: all of them, or none. */
  private performMany(asked: Asked, reply: Reply, random: Random): Answer {
    const { kind, what, body } = asked;
    const parts = entriesOf(body).map((text) => ({ text, sent: membersOf(text) }));
    const rows = this.rowsOf(kind);
    if (parts.some(({ sent }) => sent['rank'] === String(REFUSED_RANK))) return refusal;
    if (what === 'create' && reply === 'unsuccessful') return unsuccessful;
    if (what !== 'create' && parts.some(({ sent }) => !rows.has(sent['id'] ?? ''))) return missing;
    const done = parts.map(({ text, sent }): Members => {
      const { id = '' } = sent;
      const before = rows.get(id) as Members;
      if (what === 'destroy') this.delete(kind, id, before);
      if (what === 'update') this.update({ ...asked, id, body: text }, before);
      if (what !== 'create') return rows.get(id) ?? { id };
      const row = this.insert(kind, sent);
      this.options.ledger.inserted(kind, sent, row);
      return row;
    });
    if (reply === 'empty') return { status: 204 };
    if (reply === 'job' || reply === 'createdJob') return { status: 202, location: '/jobs/8' };
    const other = random.pick([...rows.values()]);
    const foreign = reply === 'foreignRow' ? other : { id: other['id'] ?? '' };
    const returned = reply === 'foreignRow' || reply === 'foreignId' ? [foreign, ...done.slice(1)] : done;
    const texts = reply === 'short' ? returned.map(({ id = '' }) => rowText({ id })) : returned.map(rowText);
    return { status: 200, body: `[${texts.join(',')}]` };
  }

  private create({ kind, body, key, number }: Asked, reply: Reply, random: Random): Answer {
    const sent = membersOf(body);
    const done = key === undefined ? undefined : this.keys.get(key);
    if (done && canonical(done.body) !== canonical(body))
      this.options.ledger.strayed(`create ${number}: the key ${key} came with another body`);
    if (!done && sent['rank'] === String(REFUSED_RANK)) return refusal;
    if (!done && reply === 'unsuccessful') return unsuccessful;
    const row = done?.row ?? this.insert(kind, sent);
    if (!done) this.options.ledger.inserted(kind, sent, row);
    if (key !== undefined) this.keys.set(key, { body, row });
    const { id: text = '' } = row;
    const id = text.replaceAll('"', '');
    const own = `/${kind}/${id}`;
    if (reply === 'empty') return { status: 204, location: own };
    if (reply === 'location') return { status: 201, location: random.pick([own, id]) };
    if (reply === 'short') return { status: 201, body: rowText({ id: text }) };
    if (reply === 'otherPrefix')
      return { status: 201, location: `https://internal.example/v2${own}${random.pick(['', '?version=1'])}` };
    if (reply === 'job') return { status: 202, location: `/jobs/${number}` };
    if (reply === 'createdJob') return { status: 201, location: `/jobs/${number}` };
    if (reply === 'confirm') return { status: 201, location: `${own}/confirm` };
    return { status: 201, body: rowText(row) };
  }

  private update({ kind, id, method, body, number }: Asked, before: Members): Answer | undefined {
    const sent = membersOf(body);
    if (sent['rank'] === String(REFUSED_RANK)) return refusal;
    const { id: sentId = id, ...members } = sent;
    if (sentId.replaceAll('"', '').toLowerCase() !== id.replaceAll('"', ''))
      this.options.ledger.strayed(`${method} ${number} to ${kind} ${id} has the id ${sentId}`);
    const after = method === 'PUT' ? { id, ...members } : { ...before, ...members };
    this.options.ledger.updated(kind, before, sent, after);
    this.put(kind, id, after);
    return undefined;
  }

  private insert(kind: KindName, sent: Members): Members {
    const number = ++this.made;
    const long = this.options.topics.has('numbers');
    const id = kindOf[kind].id(number, long);
    const defaults = defaultsOf(kind, number, long, new Random(this.options.seed, 'row', number));
    const given = Object.entries(sent).filter(([name, text]) => name !== 'id' && text !== 'null');
    const row = { id, ...defaults, ...Object.fromEntries(given) };
    this.put(kind, id, row);
    return row;
  }

  private delete(kind: KindName, id: string, row: Members): void {
    this.rowsOf(kind).delete(id);
    this.byRef.delete(refOf(row));
    this.options.ledger.deleted(kind, row);
  }

  private put(kind: KindName, id: string, row: Members): void {
    this.rowsOf(kind).set(id, row);
    this.byRef.set(refOf(row), row);
  }

  private rowsOf(kind: KindName): Map<string, Members> {
    return this.rows.get(kind) as Map<string, Members>;
  }
}

const missing: Answer = { status: 404, body: '{"title":"Not found"}' };
const unsuccessful: Answer = { status: 200, body: '{"success":false,"message":"Not today"}' };
const refusal: Answer = { status: 422, body: '{"errors":{"rank":["is refused"]}}' };

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
