import { type ParsedJson, parseJson } from '../util/json.js';
import { rounded } from '../util/rounded.js';
import type { BodyCodec } from './body-codec.js';

/** A response whose body has been received. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers of the response. */
  readonly headers: Headers;
  /** Address that sent the response, after redirects. */
  readonly url: string;
  /** Whether a redirect was followed. */
  readonly redirected: boolean;
  /** The body as text; empty where the request asked for a blob. */
  readonly text: string;
  /** The body: the parsed value of JSON or of the proxy's `codec`, a `Blob` if the request asked for one, undefined if it is empty, otherwise the text. */
  readonly body: unknown;
  /**
   * The body with every digit of its numbers: a `LongNumber` replaces each number that JavaScript would round. Readers read rows from
   * it. Undefined if `body` has rounded no number.
   */
  readonly exact?: unknown;
  /** Parser's message if the body is malformed, such as HTML where JSON was expected; undefined also for an empty body. */
  readonly malformed?: string;
  /** The codec that parsed the body; undefined: JSON. */
  readonly codec?: BodyCodec;
  /** Number of rows that were handed over while the body arrived; `body` lacks these rows. Undefined if the body was not streamed. */
  readonly streamed?: number;
  /** Whether the server answered 304, so that the cached response is still valid. `body` of a list is then the cached one. Undefined for an unconditional request. */
  readonly unchanged?: boolean;
  /** The platform's response. */
  readonly raw: Response;
}

/** Resolves as the given promise does, or rejects with `TimeoutError` when the time limit of the request is over first. */
export type Limit = <T>(wait: Promise<T>) => Promise<T>;

/**
 * Receives the body of a successful response. Wrap each wait for the server in `limit`, which applies the time limit. `signal` is
 * aborted when the attempt is cancelled or its time limit is over.
 */
export type Receive = (raw: Response, limit: Limit, signal: AbortSignal) => Promise<HttpResponse>;

/** A response with its parsed body. */
export function responseOf(
  { value, long }: ParsedJson,
  text: string,
  head: Omit<HttpResponse, 'text' | 'body'>,
): HttpResponse {
  // Node 20 takes microseconds for each member that is written behind a spread, so new members come first.
  if (!long) return { text, body: value, ...head };
  let body: unknown;
  return {
    text,
    exact: value,
    // Rounded on first use: lists are read from the exact body, so most rounded bodies are never needed.
    get body() {
      return (body ??= rounded(value));
    },
    ...head,
  };
}

/** Reads the whole body of a response; `known` is its text where a cache has it. */
export async function readResponse(
  raw: Response,
  { blob, codec, known }: { readonly blob?: boolean; readonly codec: BodyCodec | undefined; readonly known?: string },
): Promise<HttpResponse> {
  const { status, headers, url, redirected } = raw;
  // Node 20 takes microseconds for each member that is written behind a spread, so `head` is spread last.
  const head = codec ? { codec, status, headers, url, redirected, raw } : { status, headers, url, redirected, raw };
  if (blob && raw.ok) return { text: '', body: await raw.blob(), ...head };
  // A `text()` of the application's own decodes by its own rules; a platform without streams may lack `arrayBuffer()`.
  const isPlatform = raw.body && raw.text === globalThis.Response?.prototype.text;
  const content = known ?? (isPlatform ? new Uint8Array(await raw.arrayBuffer()) : await raw.text());
  let text = '';
  try {
    text = typeof content === 'string' ? content : decodeBody(content, headers.get('content-type'), !raw.ok);
    if (!text.trim()) return { text, body: undefined, ...head };
    return responseOf(codec ? { value: codec.parse(text), long: true } : parseJson(text), text, head);
  } catch (error) {
    return { text, body: text, malformed: (error as Error).message, ...head };
  }
}

/** The body of a response with every digit of its numbers. */
export function exactBody(response: HttpResponse): unknown {
  return 'exact' in response ? response.exact : response.body;
}

/**
 * Whether a status says what the server did with the request: done (2xx), refused (4xx), or redirected undone. After
 * any other status, after 408, and after a status that the platform hides, the server may have done the request all the same.
 */
export function isClear(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 408) || isNotDone(status);
}

/** Whether a redirect says that the request was not done and must be repeated unchanged at another address. */
export function isNotDone(status: number): boolean {
  return status === 307 || status === 308;
}

/** Longest character of UTF-8, in bytes. */
const LONGEST = 4;
/** The first line of an XML document that declares its charset. */
const XML_DECLARATION = /^<\?xml[^>]*\sencoding=["']([^"']+)/;
/** Longest such line that is looked at, in bytes. */
const LONGEST_DECLARATION = 200;
/** Labels that servers write without looking at the body. */
const DEFAULT_LABELS = /^(utf-?8|iso-?8859-?1|latin-?1|windows-1252|us-ascii|ascii)$/i;

/**
 * The charsets to try for a body: the one of its byte order mark, else UTF-8, which servers send under their default labels as well; then the
 * one that its `Content-Type` names, or the document itself if it is XML. Other labels come first, because short texts in their charsets may
 * look like UTF-8.
 */
function charsetsOf(bytes: Uint8Array, type: string | null): readonly [string, string | undefined] {
  const [, named] = /;\s*charset=["']?([^\s"';]+)/i.exec(type ?? '') ?? [];
  const beginning = named ? '' : String.fromCharCode(...bytes.subarray(0, LONGEST_DECLARATION));
  const label = named ?? XML_DECLARATION.exec(beginning)?.[1];
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return ['utf-16le', label];
  if (first === 0xfe && second === 0xff) return ['utf-16be', label];
  return [label && !DEFAULT_LABELS.test(label) ? label : 'utf-8', label];
}

/**
 * The text of a body. Throws an error if it is in neither of its possible charsets, because a PUT would write replaced letters back;
 * those of a failure are only shown.
 */
function decodeBody(bytes: Uint8Array, type: string | null, isFailure: boolean): string {
  const [charset, label] = charsetsOf(bytes, type);
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(charset === 'utf-8' ? label : 'utf-8', { fatal: !isFailure }).decode(bytes);
  }
}

/**
 * Converts the chunks of a body to UTF-8, in which the cutters read rows; the last call passes no chunk. It throws an error for bytes that
 * are not in the charset. Undefined if the `Content-Type` names no other charset: then bytes that are not UTF-8 are malformed rows.
 */
export function toUtf8(type: string | null): ((chunk?: Uint8Array) => Uint8Array) | undefined {
  const [charset, label] = charsetsOf(new Uint8Array(), type);
  if (!label || !isForeign(label)) return undefined;
  const canBeUtf8 = charset !== label;
  let decoder: TextDecoder | undefined;
  let isDecided = false;
  /** The bytes from the first one on that is not ASCII, until there are enough to tell the charset. */
  let held: Uint8Array = new Uint8Array();
  const decide = (bytes: Uint8Array, isEnd: boolean): void => {
    const at = canBeUtf8 ? bytes.findIndex((byte) => byte >= 0x80) : 0;
    held = bytes.slice(at < 0 ? bytes.length : at);
    const letter = held.subarray(0, LONGEST);
    if (at < 0 || (letter.length < LONGEST && !isEnd)) return;
    isDecided = true;
    const [first] = charsetsOf(letter, type);
    if (first !== 'utf-8') decoder = new TextDecoder(first, { fatal: true });
    else if (!isUtf8(letter, isEnd)) decoder = new TextDecoder(label, { fatal: true });
  };
  return (chunk) => {
    const isEnd = !chunk;
    let bytes = chunk ?? new Uint8Array();
    if (!isDecided) {
      bytes = joined(held, bytes);
      decide(bytes, isEnd);
      if (!isDecided) return bytes.subarray(0, bytes.length - held.length);
    }
    return decoder ? new TextEncoder().encode(decoder.decode(bytes, { stream: !isEnd })) : bytes;
  };
}

/** Whether a label names a charset other than UTF-8. As in browsers, a label that no platform knows is ignored. */
function isForeign(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== 'utf-8';
  } catch {
    return false;
  }
}

/** Whether bytes begin with a letter of UTF-8. The last letter may be cut, unless the body ends. */
function isUtf8(bytes: Uint8Array, isEnd: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isEnd });
    return true;
  } catch {
    return false;
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
