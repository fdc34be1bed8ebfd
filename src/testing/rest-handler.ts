import { type Data, isData, readPath, writePath } from '../util/data-path.js';
import { Refusal, type Reply } from './refusal.js';
import { mergeRow, type Place, paramOf, type RestCollection } from './rest-collection.js';
import { type RestServerOptions, VERBS } from './rest-config.js';
import { RestQuery } from './rest-query.js';
import type { ChangeLog } from './row-changes.js';

/** A request whose body has been received. */
export interface RestRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

/** The collection that a request addresses, with the values in the address. */
interface Target {
  readonly collection: RestCollection;
  readonly request: RestRequest;
  /** Values of the members whose names are in the path of the collection. */
  readonly given: ReadonlyMap<string, unknown>;
  /** The id in the path, and the id without a format suffix. */
  readonly ids: readonly string[];
  /** The address of the collection. */
  readonly path: string;
}

const JSON_BODY = /^application\/(?:[\w.-]+\+)?json\b/i;

/** Processes requests and creates the responses of a REST server. */
export class RestHandler {
  private readonly query: RestQuery;

  constructor(
    private readonly options: RestServerOptions,
    readonly collections: readonly RestCollection[],
    private readonly prefix: string,
  ) {
    this.query = new RestQuery(options);
  }

  /** The response to a request; undefined if the address belongs to no collection. */
  handle(request: RestRequest): Reply | undefined {
    try {
      const target = this.targetOf(request);
      return target && this.serve(target);
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      throw error;
    }
  }

  /** The stream of changes that a request asks for; undefined: it asks for something else, or its address belongs to no collection. */
  stream(request: RestRequest, log: ChangeLog, signal: AbortSignal): Response | undefined {
    const { method, headers } = request;
    if (method !== 'GET' || !/\btext\/event-stream\b/i.test(headers.get('accept') ?? '')) return undefined;
    const target = this.targetOf(request);
    if (!target || target.ids.length > 0) return undefined;
    const { collection, given } = target;
    return log.open({
      path: collection.path,
      belongs: (row) => belongs(collection, given, { row }),
      lastEventId: headers.get('last-event-id'),
      signal,
    });
  }

  /** The rows of a collection that match the values in its path. */
  rows({ collection, given }: Pick<Target, 'collection' | 'given'>): readonly Place[] {
    return collection.all.filter((place) => belongs(collection, given, place));
  }

  /** The collection at a path, with values or `{name}`s in the path. */
  find(path: string): Pick<Target, 'collection' | 'given'> | undefined {
    const known = this.collections.find((each) => each.path === path);
    if (known) return { collection: known, given: new Map() };
    const segments = path.split('/').filter(Boolean);
    return this.byStrength(segments.length, segments);
  }

  private targetOf(request: RestRequest): Target | undefined {
    const { pathname } = request.url;
    if (!`${pathname}/`.startsWith(`${this.prefix}/`)) return undefined;
    const segments = pathname.slice(this.prefix.length).split('/').filter(Boolean).map(decode);
    const last = segments.at(-1) ?? '';
    const bare = last.replace(/\.json$/, '');
    const whole = { request, path: pathname.replace(/(\.json)?\/*$/, ''), ids: [] };
    const stem = segments.slice(0, -1);
    const list =
      this.byStrength(segments.length, segments) ??
      (bare !== last && this.byStrength(segments.length, [...stem, bare]));
    if (list) return { ...whole, ...list };
    const parent = this.byStrength(stem.length, stem);
    if (!parent) return undefined;
    return { ...whole, ...parent, path: pathname.replace(/\/[^/]*\/*$/, ''), ids: [...new Set([last, bare])] };
  }

  /** The collection whose path matches. If several match, the one with the fewest `{name}`s wins. */
  private byStrength(length: number, segments: readonly string[]): Pick<Target, 'collection' | 'given'> | undefined {
    const fitting = this.collections
      .filter(({ pattern }) => pattern.length === length)
      .filter(({ pattern }) => pattern.every((each, i) => paramOf(each) !== undefined || each === segments[i]))
      .sort((a, b) => a.params.length - b.params.length);
    const [collection] = fitting;
    return collection && { collection, given: this.givenBy(collection, segments) };
  }

  private givenBy({ pattern }: RestCollection, segments: readonly string[]): ReadonlyMap<string, unknown> {
    const given = new Map<string, unknown>();
    for (const [i, each] of pattern.entries()) {
      const name = paramOf(each);
      const text = segments[i] as string;
      if (name === undefined || paramOf(text) === name) continue;
      const path = `/${pattern.slice(0, i).join('/')}`;
      const owners = this.collections.find((other) => `/${other.pattern.join('/')}` === path);
      const owner = owners?.get(text);
      if (owners && !owner) throw new Refusal(404, `${owners.path} has no row ${text}`);
      // The id has the type that it has in the owner's row. Without an owner, digits become a number.
      const raw = String(Number(text)) === text ? Number(text) : text;
      given.set(name, owner ? owners?.idOf(owner.row) : raw);
    }
    return given;
  }

  private serve(target: Target): Reply {
    const { collection, request, ids } = target;
    const { method } = request;
    const { methods = VERBS } = collection.config;
    const headers = { Allow: methods.join(', ') };
    if (method === 'OPTIONS') return { status: 204, headers };
    if (!methods.includes(method) || !VERBS.includes(method) || (method === 'POST' && ids.length))
      throw new Refusal(405, `${method} is not for ${request.url.pathname}`, { headers });
    if (method === 'GET' || method === 'HEAD') return ids.length ? this.read(target) : this.list(target);
    const body = bodyOf(request);
    if (method === 'POST') return this.create(target, body);
    if (Array.isArray(body) && !ids.length) return this.each(body, (entry) => this.write(target, entry, false), 200);
    return this.write(target, Array.isArray(body) && body.length === 1 ? body[0] : body, true);
  }

  private list({ collection, request, given }: Target): Reply {
    const rows = this.rows({ collection, given }).map(({ row }) => row);
    const part = this.query.answer(rows, request.url.searchParams, collection.model);
    const { rootProperty, totalProperty = 'total' } = this.options.envelope ?? {};
    const body = rootProperty ? { [totalProperty]: part.total, [rootProperty]: part.rows } : part.rows;
    const tag = `W/"${hash(JSON.stringify(body))}"`;
    return this.unlessKnown(request, tag, { status: 200, body, headers: { 'X-Total-Count': String(part.total) } });
  }

  private read(target: Target): Reply {
    const place = this.placeOf(target, target.ids);
    return this.unlessKnown(target.request, tagOf(place), { status: 200, body: this.wrapped(place.row) });
  }

  private create(target: Target, body: unknown): Reply {
    if (Array.isArray(body)) return this.each(body, (entry) => this.createOne(target, entry), 201);
    return this.createOne(target, body);
  }

  private createOne({ collection, given, path }: Target, entry: unknown): Reply {
    const row: Data = { ...dataOf(entry) };
    for (const [name, value] of given) {
      const at = collection.pathOf(name);
      const own = readPath(row, at) ?? value;
      if (String(own) !== String(value))
        throw new Refusal(422, `'${name}' is ${String(own)}, the address says ${value}`);
      writePath(row, at, value);
    }
    this.validate(collection, row);
    const place = collection.insert(row);
    const headers = { Location: `${path}/${encodeURIComponent(place.id)}` };
    return this.written(place, 201, headers);
  }

  /** Updates or removes a row. Its id is in the address, else in the parameter, else in the body. */
  private write(target: Target, entry: unknown, alone: boolean): Reply {
    const { collection, request } = target;
    const { method, headers, url } = request;
    const named = alone ? url.searchParams.get('id') : null;
    const inBody = isData(entry) ? collection.idOf(entry) : alone ? undefined : entry;
    const ids = target.ids.length ? target.ids : [named ?? inBody].filter((id) => id !== undefined && id !== null);
    if (!ids.length)
      throw new Refusal(alone ? 405 : 400, `${method} ${url.pathname} names no row`, {
        headers: { Allow: 'GET, POST' },
      });
    const place = this.placeOf(target, ids);
    if (alone) this.precondition(headers, place);
    if (method === 'DELETE') {
      collection.remove(place);
      return { status: 204 };
    }
    const data = dataOf(entry);
    const removes = /merge-patch/i.test(headers.get('content-type') ?? '');
    const row = method === 'PATCH' ? mergeRow(place.row, data, removes) : this.whole(target, data);
    this.validate(collection, row);
    return this.written(collection.replace(place, row), this.options.replies === 'none' ? 204 : 200);
  }

  /** The row of a PUT, with the values that are only in the address. */
  private whole({ collection, given }: Target, data: Data): Data {
    const row = { ...data };
    for (const [name, value] of given) {
      const at = collection.pathOf(name);
      if (readPath(row, at) === undefined) writePath(row, at, value);
    }
    return row;
  }

  /** Writes the entries one after the other. A refused entry does not stop the others. */
  private each(entries: readonly unknown[], write: (entry: unknown) => Reply, status: number): Reply {
    const replies = entries.map((entry) => {
      try {
        return write(entry);
      } catch (error) {
        if (error instanceof Refusal) return error.reply;
        throw error;
      }
    });
    const failed = replies.some((reply) => reply.status >= 400);
    const [first] = replies;
    if (!failed && first?.body === undefined) return { status: first ? first.status : status };
    // A successful entry is the row itself; a refused entry is a problem document with its status.
    return { status: failed ? 207 : status, body: replies.map((reply) => reply.body ?? { status: reply.status }) };
  }

  private placeOf({ collection, given }: Target, ids: readonly unknown[]): Place {
    const places = ids.map((id) => collection.get(id));
    const place = places.find((each) => each && belongs(collection, given, each));
    if (!place) throw new Refusal(404, `${collection.path} has no row ${String(ids.at(-1))}`);
    return place;
  }

  private validate({ config, path }: RestCollection, row: Data): void {
    let found: ReturnType<NonNullable<typeof config.validate>>;
    try {
      found = config.validate?.(row);
    } catch (error) {
      throw new Refusal(500, `\`validate\` of ${path} failed: ${String(error)}`);
    }
    if (typeof found === 'string') throw new Refusal(422, found);
    if (found && Object.keys(found).length)
      throw new Refusal(422, 'The row is not valid', { members: { errors: found } });
  }

  /** Refuses a write whose `If-Match` is missing although required, or does not match the current row. */
  private precondition(headers: Headers, place: Place): void {
    const { etags = true } = this.options;
    const known = headers.get('if-match');
    if (known === null && etags === 'required') throw new Refusal(428, 'Say which version is meant: send If-Match');
    if (known === null || !etags || tagsIn(known).some((each) => each === '*' || each === tagOf(place))) return;
    throw new Refusal(412, `Row ${place.id} is another by now`, { headers: { ETag: tagOf(place) } });
  }

  private unlessKnown(request: RestRequest, tag: string, reply: Reply): Reply {
    if (this.options.etags === false) return reply;
    const weak = (text: string) => text.replace(/^W\//, '');
    const known = tagsIn(request.headers.get('if-none-match') ?? '').some(
      (each) => each === '*' || weak(each) === weak(tag),
    );
    const headers = { ...reply.headers, ETag: tag };
    return known ? { status: 304, headers } : { ...reply, headers };
  }

  private written(place: Place, status: number, headers: Readonly<Record<string, string>> = {}): Reply {
    const { etags, replies } = this.options;
    return {
      status,
      ...(replies !== 'none' && { body: this.wrapped(place.row) }),
      headers: { ...headers, ...(etags !== false && { ETag: tagOf(place) }) },
    };
  }

  private wrapped(row: Readonly<Data>): unknown {
    const { rootProperty, single } = this.options.envelope ?? {};
    return rootProperty && single ? { [rootProperty]: row } : row;
  }
}

function belongs(
  collection: RestCollection,
  given: ReadonlyMap<string, unknown>,
  { row }: Pick<Place, 'row'>,
): boolean {
  return [...given].every(([name, value]) => String(readPath(row, collection.pathOf(name))) === String(value));
}

function bodyOf({ method, headers, body }: RestRequest): unknown {
  if (body === '') {
    if (method === 'DELETE') return undefined;
    throw new Refusal(400, `${method} without a body`);
  }
  const type = headers.get('content-type') ?? '';
  if (!JSON_BODY.test(type)) throw new Refusal(415, `The body is '${type}', not application/json`);
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new Refusal(400, `The body is no JSON: ${(error as Error).message}`);
  }
}

function dataOf(entry: unknown): Data {
  if (isData(entry)) return entry;
  throw new Refusal(400, `A row is an object, not ${JSON.stringify(entry)}`);
}

function tagOf({ version }: Place): string {
  return `"${version}"`;
}

function tagsIn(header: string): string[] {
  return [...header.matchAll(/\*|(?:W\/)?"[^"]*"/g)].map(([tag]) => tag);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400, `The address is malformed: '${segment}'`);
  }
}

/** A short hash of a text (FNV-1a). */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return (state >>> 0).toString(36);
}
