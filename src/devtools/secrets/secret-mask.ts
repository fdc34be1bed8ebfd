import type {
  Plain,
  PlainValues,
  RecordedAttempt,
  RecordedBody,
  RecordedError,
  RecordedOperation,
} from '../recording.js';
import type { OutboxState, StoreState } from '../states.js';
import { AN_IDENTIFIER, maskedJson } from './json-mask.js';
import { isJson, JsonTokens } from './json-tokens.js';
import { isHarmlessHeader, isIdName, isSecretName, isSecretParameter, remembered } from './names.js';
import { type Edit, edited } from './text-edits.js';
import { isSuspicious, MASK, withoutRandom, withoutTokens } from './token-shapes.js';

export { MASK };

/** Texts inside of texts, such as an address in a parameter of an address. Deeper ones are masked. */
const DEEPEST = 8;
/** Most masked values of one operation that are looked for in its other texts. */
const MOST_FOUND = 200;
/** Longer values are not looked for. */
const LONGEST_FOUND = 300;
/** Most white space between a name and the sign behind it, and the longest part of a name that is looked at. */
const MOST_SPACES = 20;
const LONGEST_WORD = 200;
/** Characters that no address has in it. */
const OUTSIDE = /[\s"<>]/g;
const CONDITION = /['"()<>=]|\b(?:eq|ne|neq|lt|lte?|gt|gte?|like|ilike|contains|in|is)\b/i;

/**
 * Masks secrets in recordings, addresses, headers and texts. It knows them by the names beside them and by their form; and where one place of an
 * operation has shown that a value is a secret, it masks this value in all others. A recording and its replay mask by the same rules, so that
 * they can be compared; masking again changes nothing.
 */
export class SecretMask {
  private own: ReadonlySet<string> = new Set();
  /** Whether the value of a member, field or element is a secret. */
  isSecret!: (name: string) => boolean;
  private isSecretParameter!: (name: string) => boolean;
  private readonly isIdName: (name: string) => boolean = remembered(isIdName);
  /** The masked values of the operation that is being masked. */
  private found: Set<string> | undefined = undefined;
  /** The masked texts of that operation, by depth: its records before and after have mostly the same ones. */
  private masked: Map<string, string>[] = [];

  /** `fields` are the names of fields that the application counts as secret, in any case. */
  constructor(public fields: readonly string[] = []) {
    this.learn([]);
  }

  /** Adds names of fields that are secret. `fields` is a new list then. */
  learn(names: readonly string[]): void {
    if (names.length > 0) this.fields = Object.freeze([...this.fields, ...names]);
    this.own = new Set(this.fields.map(plainName));
    this.isSecret = remembered((name) => this.isOwn(name) || isSecretName(name));
    this.isSecretParameter = remembered((name) => this.isOwn(name) || isSecretParameter(name));
  }

  // ── Names ──

  private isOwn(name: string): boolean {
    if (this.own.size === 0) return false;
    return this.own.has(plainName(name)) || name.split(/[^\w]+/).some((part) => this.own.has(plainName(part)));
  }

  /** The mask in place of a value that a name has shown to be a secret. */
  private hidden(value: string): string {
    if (this.found && this.found.size < MOST_FOUND) {
      const bare = value.replace(/^(?:bearer|basic|token)\s{1,9}/i, '');
      const isLong = bare.length >= 8 || (bare.length >= 6 && /\d/.test(bare) && /[a-z]/i.test(bare));
      if (isLong && bare.length <= LONGEST_FOUND) this.found.add(bare);
    }
    return MASK;
  }

  // ── Headers ──

  /** The value of a header. Only headers that are known to be harmless, and counts, are shown. */
  header(name: string, value: string): string {
    const isShown = isHarmlessHeader(name)
      ? !this.isOwn(name)
      : !this.isSecretParameter(name) && /^(?:true|false|-?\d{1,15}(?:\.\d{1,6})?)?$/.test(value);
    return isShown ? this.text(value) : this.hidden(value);
  }

  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.header(name, value)]));
  }

  // ── Values and texts ──

  value<T extends Plain>(value: T): T {
    const text = JSON.stringify(value);
    const masked = this.json(text, 0);
    return masked === text ? value : (JSON.parse(masked) as T);
  }

  /** Any text: JSON, XML, a form, a sentence with addresses in it. */
  text(text: string, depth: number = 0): string {
    if (!isSuspicious(text)) return text;
    if (depth > DEEPEST) return MASK;
    if (!this.found) return this.maskedText(text, depth);
    const known = (this.masked[depth] ??= new Map());
    let masked = known.get(text);
    if (masked === undefined) known.set(text, (masked = this.maskedText(text, depth)));
    return masked;
  }

  private maskedText(text: string, depth: number): string {
    if (/^\s*["[{]/.test(text) && /["\]}]$/.test(text.trimEnd().slice(-1)) && isJson(text))
      return this.json(text, depth);
    if (/^[\w.\-[\]%$+]{1,200}=/.test(text)) return this.parameters(text, depth);
    const bare = /"\s{0,20}:/.test(text) ? this.json(text, depth) : text;
    return withoutTokens(this.pairs(this.addressesIn(this.xml(bare), depth)));
  }

  private json(text: string, depth: number): string {
    return maskedJson(text, {
      isSecret: (name) => this.isSecret(name),
      hidden: (value) => this.hidden(value),
      text: (value) => this.text(value, depth + 1),
    });
  }

  /** Elements and attributes of XML whose names mean a secret. */
  private xml(text: string): string {
    if (!/<[A-Za-z]/.test(text)) return text;
    const edits: Edit[] = [];
    const tag = /<([A-Za-z][\w.:-]*)([^<>]*)(?:>|$)/g;
    for (let match = tag.exec(text); match; match = tag.exec(text)) {
      const [whole, name = '', attributes = ''] = match;
      const start = match.index + whole.length;
      const naming = attributes.includes('=')
        ? [...attributes.matchAll(/\b(?:name|key|property|field|id|type)\s{0,9}=\s{0,9}["']([^"']{0,200})["']/gi)]
        : [];
      const isNamed = naming.some(([, given = '']) => AN_IDENTIFIER.test(given) && this.isSecret(given));
      const isSecret = this.isSecret(name.replace(/^.*:/, ''));
      if (!isNamed && !isSecret) continue;
      const value = /\b(value\s{0,9}=\s{0,9})(?:"([^"]*)"?|'([^']*)'?)/i.exec(attributes);
      if (value) {
        const [found, before = '', double, single = ''] = value;
        const from = match.index + 1 + name.length + value.index;
        edits.push({ start: from, end: from + found.length, text: `${before}"${this.hidden(double ?? single)}"` });
      }
      if (attributes.endsWith('/')) continue;
      const close = text.indexOf(`</${name}`, start);
      // An element of HTML that is only named, such as `<input name="csrf">`, may have no end.
      const next = isSecret ? -1 : text.indexOf('<', start);
      const end = close >= 0 ? close : next >= 0 ? next : text.length;
      if (text.slice(start, end).trim() === '') continue;
      edits.push({ start, end, text: this.hidden(text.slice(start, end)) });
      tag.lastIndex = end;
    }
    return edited(text, edits);
  }

  /** Pairs of a name and a value in any text: `password=…`, `password: …`, `'password': '…'`. */
  private pairs(text: string): string {
    const edits: Edit[] = [];
    const between = /(?:=>|:=|[:=](?!\/\/))\s{0,20}/y;
    let done = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (text[at] !== ':' && text[at] !== '=') continue;
      const name = nameBefore(text, at, done);
      between.lastIndex = at;
      if (name === '' || !this.isSecret(name) || !between.test(text)) continue;
      const start = between.lastIndex;
      const end = this.endOfValue(text, start, text.slice(at, start).includes('='));
      if (end <= start) continue;
      const quote = /^\\*["']/.exec(text.slice(start, start + 5))?.[0] ?? '';
      const isClosed = quote !== '' && end > start + quote.length && text.slice(0, end).endsWith(quote);
      const value = text.slice(start + quote.length, isClosed ? end - quote.length : end);
      // Words and empty values say nothing: `hasPassword: true`, `password: ''`.
      if (/^(?:true|false|null|undefined|\*{3})?$/.test(value)) continue;
      edits.push({ start, end, text: `${quote}${this.hidden(value)}${quote}` });
      done = end;
      at = end - 1;
    }
    return edited(text, edits);
  }

  /** The end of the value of a pair; its start if it is a word of a sentence, as in `password: must be longer`. */
  private endOfValue(text: string, start: number, isAssigned: boolean): number {
    const [quote] = /^\\*["']/.exec(text.slice(start, start + 5)) ?? [];
    if (quote !== undefined) {
      let at = start + quote.length;
      while (at < text.length && !text.startsWith(quote, at)) at += quote.length === 1 && text[at] === '\\' ? 2 : 1;
      return Math.min(at + quote.length, text.length);
    }
    if (/[[{]/.test(text[start] ?? '')) return endOfBrackets(text, start);
    const run = /[^\s&"'<>,;)}\]|\\]*/y;
    run.lastIndex = start;
    const [value = ''] = run.exec(text) ?? [];
    const end = start + value.length;
    if (/^(?:bearer|basic|token|digest|negotiate|apikey)$/i.test(value)) {
      const rest = /[^\n\r"'<>]*/y;
      rest.lastIndex = end;
      return end + (rest.exec(text)?.[0].length ?? 0);
    }
    const isWord = !isAssigned && /^[A-Z]?[a-z]*$/.test(value) && /^[ \t]\w/.test(text.slice(end, end + 2));
    return isWord ? start : end;
  }

  // ── Addresses ──

  private addressesIn(text: string, depth: number): string {
    const edits: Edit[] = [];
    const sign = /[?#]|\/\/|%(?:22|3A|3D|3F)/gi;
    for (let match = sign.exec(text); match; match = sign.exec(text)) {
      let start = match.index;
      while (start > 0 && !isOutside(text[start - 1] as string)) start -= 1;
      OUTSIDE.lastIndex = match.index;
      const end = OUTSIDE.exec(text)?.index ?? text.length;
      edits.push({ start, end, text: this.addressIn(text.slice(start, end), depth) });
      sign.lastIndex = end;
    }
    return edited(text, edits);
  }

  /** A run of characters that may be an address, or have one in it. */
  private addressIn(run: string, depth: number): string {
    const query = run.search(/[?#]/);
    const isAddress =
      run.includes('://') || (run.includes('//') && run.includes('@')) || (query >= 0 && run.includes('=', query));
    if (!isAddress) return this.escaped(run, depth);
    // The end of a sentence or a quotation is no part of the address.
    const end = run.search(/['`).,;:!\]}]{1,20}$/);
    return end < 0 ? this.address(run, depth) : `${this.address(run.slice(0, end), depth)}${run.slice(end)}`;
  }

  /** A text that may be a parameter without its address: `%2Fback%3Ftoken%3D1`. */
  private escaped(run: string, depth: number): string {
    if (!/%(?:22|3A|3D|3F)/i.test(run)) return run;
    const text = decoded(run);
    const masked = this.text(text, depth + 1);
    return masked === text ? run : encoded(masked);
  }

  /** An address, whole or a part of one, without its secrets. */
  address(text: string, depth: number = 0): string {
    const bare = withoutUsers(text, (user) => this.hidden(user));
    const hash = bare.indexOf('#');
    const before = hash < 0 ? bare : bare.slice(0, hash);
    const mark = before.search(/[?&]/);
    const place = this.path(mark < 0 ? before : before.slice(0, mark));
    const query = mark < 0 ? '' : `${before[mark]}${this.parameters(before.slice(mark + 1), depth)}`;
    return `${place}${query}${hash < 0 ? '' : `#${this.fragment(bare.slice(hash + 1), depth)}`}`;
  }

  /** A path: its tokens, and parameters of segments such as `;jsessionid=1`. */
  private path(text: string): string {
    return withoutTokens(
      text.replace(/;([^=;/]{1,200})=([^;/]+)/g, (whole, name: string, value: string) =>
        this.isSecretParameter(decoded(name)) ? `;${name}=${this.hidden(decoded(value))}` : whole,
      ),
    );
  }

  /** A fragment: parameters, as a sign-in returns them, an address in the application, or the name of a place. */
  private fragment(text: string, depth: number): string {
    const query = text.indexOf('?');
    if (query >= 0) return `${this.path(text.slice(0, query))}?${this.parameters(text.slice(query + 1), depth)}`;
    return this.parameters(text, depth);
  }

  /** Parameters of an address or a form, in their encoded form. */
  private parameters(text: string, depth: number): string {
    return text
      .split('&')
      .map((pair) => {
        const at = pair.indexOf('=');
        if (at < 0) return this.parameter('', pair, depth);
        return `${pair.slice(0, at)}=${this.parameter(decoded(pair.slice(0, at)), pair.slice(at + 1), depth)}`;
      })
      .join('&');
  }

  private parameter(name: string, value: string, depth: number): string {
    if (value === '') return value;
    const text = decoded(value);
    if (this.isSecretParameter(name) && !/^(?:true|false|null)$/.test(text)) return this.hidden(text);
    if (/^\d{1,15}$/.test(text)) return value;
    // The old form of several parameters, `a=1;token=2`: a value may have semicolons too, so all that follows is masked.
    const [, secret] = !text.includes(';')
      ? []
      : ([...text.matchAll(/;([^=;&]{1,200})=/g)].find(([, other = '']) => this.isSecretParameter(other)) ?? []);
    if (secret !== undefined) return this.hidden(text);
    if (this.isCondition(text)) return this.hidden(text);
    const masked = this.text(text, depth + 1);
    const bare = this.isIdName(name) ? masked : withoutRandom(masked);
    if (bare === text) return value;
    return text === value ? bare : encoded(bare);
  }

  /** Whether a value is a condition on a secret in a language of the server's, such as `iban eq 'DE12'`. */
  private isCondition(text: string): boolean {
    if (/^\s*[[{]/.test(text)) return false;
    const names = [...new Set(text.match(/[\w$]+/g))];
    if (names.some((name) => this.isOwn(name))) return true;
    return CONDITION.test(text) && !text.includes('://') && names.some((name) => isSecretName(name));
  }

  // ── Recordings ──

  attempt(attempt: RecordedAttempt): RecordedAttempt {
    const { headers, url, body, responseHeaders, responseBody, error } = attempt;
    return {
      ...attempt,
      url: this.address(url),
      headers: this.headers(headers),
      ...(body && { body: this.body(body) }),
      ...(responseHeaders && { responseHeaders: this.headers(responseHeaders) }),
      ...(responseBody && { responseBody: this.body(responseBody) }),
      ...(error && { error: this.error(error) }),
    };
  }

  operation(operation: RecordedOperation): RecordedOperation {
    const { query, parts, attempts, records, error } = operation;
    const found = new Set<string>();
    this.found = found;
    try {
      const masked: RecordedOperation = {
        ...operation,
        ...(query && { query: this.query(query) }),
        parts: parts.map((part) => ({ ...part, text: this.part(part.place, part.text) })),
        attempts: attempts.map((each) => this.attempt(each)),
        records: records.map((each) => this.value({ ...each })),
        ...(error && { error: this.error(error) }),
      };
      if (found.size === 0) return masked;
      // The names and states of operations stay, whatever they are.
      const { query: asked, parts: named, attempts: sent, records: noted, error: why } = masked;
      const texts = {
        parts: named,
        attempts: sent,
        records: noted,
        ...(asked && { query: asked }),
        ...(why && { error: why }),
      };
      return { ...masked, ...withoutValues(texts, found) };
    } finally {
      this.found = undefined;
      this.masked = [];
    }
  }

  /** The query of an operation or a store. */
  query<T extends object>(query: T): T {
    const { params, pathParams, ...rest } = query as {
      readonly params?: PlainValues;
      readonly pathParams?: PlainValues;
    };
    return {
      ...this.value(rest as PlainValues),
      ...(params && { params: this.named(params) }),
      ...(pathParams && { pathParams: this.named(pathParams) }),
    } as T;
  }

  /** Parameters by their names, as an application has given them. */
  private named(values: PlainValues): PlainValues {
    const masked = Object.entries(values).map(([name, value]): [string, Plain] => {
      if (typeof value === 'boolean' || value === null) return [name, value];
      if (this.isSecretParameter(name)) return [name, this.hidden(typeof value === 'object' ? '' : String(value))];
      const each = this.value(value);
      return [name, typeof each === 'string' && !this.isIdName(name) ? withoutRandom(each) : each];
    });
    return Object.fromEntries(masked);
  }

  store(state: StoreState): StoreState {
    const { query, error } = state;
    return { ...state, query: this.query(query), error: error && this.text(error) };
  }

  outbox(state: OutboxState): OutboxState {
    const { entries, error } = state;
    const masked = entries.map((entry) => ({
      ...entry,
      id: this.value(entry.id),
      values: this.value(entry.values),
      error: entry.error && this.text(entry.error),
    }));
    return { ...state, entries: masked, error: error && this.text(error) };
  }

  private error(error: RecordedError): RecordedError {
    const { message, issues } = error;
    return {
      ...error,
      message: this.text(message),
      ...(issues && { issues: issues.map((each) => this.text(each)) }),
    };
  }

  private body(body: RecordedBody): RecordedBody {
    return { ...body, text: this.text(body.text) };
  }

  private part(place: string, text: string): string {
    if (place === 'body') return this.text(text);
    if (place !== 'header') return this.address(text);
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/s.exec(text) ?? [];
    return `${name}: ${this.header(name, value)}`;
  }
}

/** The name before the sign of a pair, such as `password` in `"password": 1`; of two words in `API key: 1`. `from` is where it may begin. */
function nameBefore(text: string, sign: number, from: number): string {
  let end = sign;
  while (
    end > from &&
    sign - end < MOST_SPACES &&
    !isOfName(text.charCodeAt(end - 1)) &&
    /\s/.test(text.charAt(end - 1))
  )
    end -= 1;
  if (end > from && (text[end - 1] === '"' || text[end - 1] === "'")) end -= 1;
  for (let slashes = 0; slashes < 4 && end > from && text[end - 1] === '\\'; slashes += 1) end -= 1;
  const start = startOfName(text, end, from);
  if (start === end) return '';
  const name = text.slice(Math.max(start, end - LONGEST_WORD), end);
  if (text[start - 1] !== ' ' || start - 1 < from) return name;
  const first = text.slice(Math.max(startOfName(text, start - 1, from), start - 1 - LONGEST_WORD), start - 1);
  return first === '' ? name : `${first} ${name}`;
}

function startOfName(text: string, end: number, from: number): number {
  let start = end;
  while (start > from && isOfName(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

const NAME_SIGNS: ReadonlySet<number> = new Set([...'$.-[]@_'].map((sign) => sign.charCodeAt(0)));

function isOfName(code: number): boolean {
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  return isLetter || (code >= 0x30 && code <= 0x39) || NAME_SIGNS.has(code);
}

function isOutside(character: string): boolean {
  return /[\s"<>]/.test(character);
}

/** A name without its case and its underscores, which differ between fields and rows. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

/** A text without the names and passwords in its addresses. A password may have any character, also `@` and, if nobody has encoded them, `/?#`. */
function withoutUsers(text: string, hide: (user: string) => string): string {
  const edits: Edit[] = [];
  const last = text.lastIndexOf('@');
  for (let start = text.indexOf('//') + 2; start > 1; start = text.indexOf('//', start) + 2) {
    const [authority = ''] = /^[^/?#]*/.exec(text.slice(start, start + 2000)) ?? [];
    const at = authority.lastIndexOf('@');
    // A colon that no port follows belongs to a password. It goes on behind the slash up to the last `@`, or the address was cut in it.
    const hasOpenPassword = at < 0 && /:(?!\d{0,5}$)/.test(authority.replace(/^\[[^\]]*\]?/, ''));
    const isCut = hasOpenPassword && last < start && text[start - 3] === ':';
    if (at < 0 && !isCut && !(hasOpenPassword && last >= start)) continue;
    const end = at >= 0 ? start + at : isCut ? start + authority.length : last;
    edits.push({ start, end, text: hide(text.slice(start, end)) });
    start = end;
  }
  return edited(text, edits);
}

/** Texts that do not have certain values any more, whatever the place. */
function withoutValues<T extends object>(texts: T, values: ReadonlySet<string>): T {
  const forms = [...values].flatMap((value) => [value, encoded(value), JSON.stringify(value).slice(1, -1)]);
  const longestFirst = [...new Set(forms)].sort((one, other) => other.length - one.length);
  const any = longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${any})(?![A-Za-z0-9])`, 'g');
  // A number of JSON becomes a string, so that the body stays JSON.
  const mask = (match: string, at: number, text: string) =>
    /^\d+$/.test(match) && /[:[,]\s{0,2}$/.test(text.slice(Math.max(0, at - 3), at)) ? `"${MASK}"` : MASK;
  const shortest = longestFirst.at(-1)?.length ?? 0;
  return eachText(texts, (text) => (text.length < shortest ? text : text.replace(pattern, mask)));
}

/** A value with each text in it changed. What has no other text is the same object. */
function eachText<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  let changed: Record<string, unknown> | undefined;
  for (const [name, each] of Object.entries(value)) {
    const other: unknown = eachText(each as unknown, change);
    if (other === each) continue;
    changed ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    changed[name] = other;
  }
  return (changed ?? value) as T;
}

/** The end of an object or a list in any text; that of the text if it was cut. */
function endOfBrackets(text: string, start: number): number {
  const tokens = new JsonTokens(text, start);
  let open = 0;
  while (tokens.next()) {
    const { kind, end } = tokens;
    open += kind === 'open' ? 1 : kind === 'close' ? -1 : 0;
    if (open === 0) return end;
  }
  return text.length;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** A text in the form of a parameter. Half of a character, which has no such form, stays as it is. */
function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}
