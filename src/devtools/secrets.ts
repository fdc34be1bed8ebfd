import type { Plain, RecordedAttempt, RecordedBody, RecordedOperation } from './recording.js';

/** The text in place of a secret. */
export const MASK = '***';

const SECRET_HEADER = /auth|token|session|cookie|api-?key|secret|csrf|xsrf|credential/i;
const SECRET_NAME = /passw|pwd|secret|token|credential|api-?_?key|jwt|authorization|^auth$|session-?_?id|^sid$/i;

/** Masks secrets in recordings and addresses. A recording and its replay mask by the same rules, so that they can be compared. */
export class SecretMask {
  private readonly own: ReadonlySet<string>;
  /** Matches a text that names a field of the application's as a word. */
  private readonly named: RegExp | undefined;

  /** `fields` are the names of fields that the application counts as secret, in any case. */
  constructor(readonly fields: readonly string[] = []) {
    this.own = new Set(fields.map((name) => name.toLowerCase()));
    const escaped = fields.map((name) => name.replace(/[^\w]/g, '\\$&'));
    this.named = fields.length > 0 ? new RegExp(`(^|[^\\w])(${escaped.join('|')})([^\\w]|$)`, 'i') : undefined;
  }

  header(name: string, value: string): string {
    if (SECRET_HEADER.test(name)) return MASK;
    // Addresses in headers, such as `Location` and `Link`, may carry tokens.
    return /:\/\/|\?/.test(value) ? this.address(value) : value;
  }

  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.header(name, value)]));
  }

  /** Whether the value of a member, field or parameter is a secret. Names of parameters may hold several names: `filter[iban][eq]`. */
  isSecret(name: string): boolean {
    if (SECRET_NAME.test(name) || this.own.has(name.toLowerCase())) return true;
    return name.split(/[^\w]+/).some((part) => this.own.has(part.toLowerCase()));
  }

  value(value: Plain): Plain {
    if (Array.isArray(value)) return value.map((each: Plain) => this.value(each));
    if (typeof value !== 'object' || value === null) return value;
    const { property } = value as { readonly property?: Plain };
    const isFilter = typeof property === 'string' && this.isSecret(property);
    return Object.fromEntries(
      Object.entries(value).map(([name, each]): [string, Plain] => {
        const hides = (this.isSecret(name) && each !== null) || (isFilter && name === 'value');
        return [name, hides ? MASK : this.value(each as Plain)];
      }),
    );
  }

  /** An address, whole or a part of one, without its secrets. */
  address(text: string): string {
    const bare = text.replace(/\/\/[^/\s@]*@/g, `//${MASK}@`);
    return bare.replace(/([?&;])([^=&#\s]+)=([^&#\s]*)/g, (_, start: string, name: string, value: string) => {
      return `${start}${name}=${this.parameter(decoded(name), value)}`;
    });
  }

  /** The value of a parameter in its encoded form. */
  private parameter(name: string, value: string): string {
    if (value === '') return value;
    if (this.isSecret(name)) return MASK;
    const text = decoded(value);
    const json = parsed(text);
    if (json !== undefined) {
      const masked = JSON.stringify(this.value(json));
      return masked === JSON.stringify(json)
        ? value
        : encodeURIComponent(masked).replaceAll(encodeURIComponent(MASK), MASK);
    }
    // A condition in a language of the server's, such as `iban eq 'DE12'`.
    return this.named?.test(text) ? MASK : value;
  }

  /** The text of a body: JSON, a form, or anything else. */
  text(text: string): string {
    const json = parsed(text);
    if (json !== undefined) {
      const masked = JSON.stringify(this.value(json));
      return masked === JSON.stringify(json) ? text : masked;
    }
    if (/^[^=&\s<>{]+=[^\s<>{]*$/.test(text)) return this.address(`?${text}`).slice(1);
    // Text that was cut is no JSON any more: members with secrets in it are found by their names.
    const members = text.replace(
      /("(?:[^"\\]|\\.)*")(\s*:\s*)("(?:[^"\\]|\\.)*("|$)|[^\s,{}[\]]+)/g,
      (whole, name: string, colon: string) => (this.isSecret(name.slice(1, -1)) ? `${name}${colon}"${MASK}"` : whole),
    );
    return this.address(members);
  }

  private body(body: RecordedBody): RecordedBody {
    return { ...body, text: this.text(body.text) };
  }

  attempt(attempt: RecordedAttempt): RecordedAttempt {
    const { headers, url, body, responseHeaders, responseBody, error } = attempt;
    return {
      ...attempt,
      url: this.address(url),
      headers: this.headers(headers),
      ...(body && { body: this.body(body) }),
      ...(responseHeaders && { responseHeaders: this.headers(responseHeaders) }),
      ...(responseBody && { responseBody: this.body(responseBody) }),
      ...(error && { error: { ...error, message: this.address(error.message) } }),
    };
  }

  operation(operation: RecordedOperation): RecordedOperation {
    const { query, parts, attempts, records, error } = operation;
    return {
      ...operation,
      ...(query && { query: this.value(query as Plain) as NonNullable<typeof query> }),
      parts: parts.map((part) => ({ ...part, text: this.part(part.place, part.text) })),
      attempts: attempts.map((each) => this.attempt(each)),
      records: records.map((each) => this.value(each as unknown as Plain) as unknown as typeof each),
      ...(error && { error: { ...error, message: this.address(error.message) } }),
    };
  }

  private part(place: string, text: string): string {
    if (place === 'body') return this.text(text);
    if (place !== 'header') return this.address(text);
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/s.exec(text) ?? [];
    return `${name}: ${this.header(name, value)}`;
  }
}

function parsed(text: string): Plain | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Plain;
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
