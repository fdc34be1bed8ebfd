/** Parts of names that mean a secret wherever they stand, in names without separators and in lower case. */
const PARTS =
  /passw|passphrase|passcode|pwd|secret(?!ar)|token|credential|apikey|accesskey|privatekey|jwt|authori[sz]ation|bearer|signature|session(?:id|key)|sessid|csrf|xsrf|cookie/;
/** Words that mean a secret as a whole word of a name: an author is no sign-in. */
const WORDS: ReadonlySet<string> = new Set('pass pw pin otp totp sid auth sig hmac cvv cvc sas creds'.split(' '));
/** Further words that mean a secret in addresses, forms and headers. Rows often have such fields: the code of a country, the key of a setting. */
const PARAMETER_WORDS: ReadonlySet<string> = new Set('nonce assertion ticket verifier hash sign'.split(' '));
/** Words that make a name with `key` a harmless one, as in "primaryKey". */
const PLAIN_KEYS: ReadonlySet<string> = new Set(
  'sort order group foreign primary partition cache idempotency'.split(' '),
);
/** Words that make a name with `code` a secret, as in "loginCode"; "countryCode" is none. */
const SECRET_CODES: ReadonlySet<string> = new Set(
  'access activation backup confirmation device invitation invite login mfa recovery reset security user verification verify'.split(
    ' ',
  ),
);
/** Longer names are no names of fields, and count as secret. */
const LONGEST_NAME = 400;

/** Whether the name of a member, field or element means a secret. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST_NAME) return true;
  return PARTS.test(name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()) || wordsOf(name).some((word) => WORDS.has(word));
}

/** Whether the name of a parameter or header means a secret. Names of parameters may hold several names: `filter[password][eq]`. */
export function isSecretParameter(name: string): boolean {
  if (isSecretName(name) || /saml/i.test(name)) return true;
  const words = wordsOf(name).filter(Boolean);
  if (/^(?:ids?|uuid)$/.test(words.at(-1) ?? '')) return false;
  const hasAny = (known: ReadonlySet<string>) => words.some((word) => known.has(word));
  if (words.includes('key') && !hasAny(PLAIN_KEYS)) return true;
  if (words.includes('code') && (words.length === 1 || hasAny(SECRET_CODES))) return true;
  return hasAny(PARAMETER_WORDS);
}

/** Whether a parameter holds the ids of records, which may look as random as a token. */
export function isIdName(name: string): boolean {
  return name.length <= LONGEST_NAME && wordsOf(name).some((word) => /^(?:ids?|uuid|guid)$/.test(word));
}

/** The words of a name in lower case, by its signs and its capital letters. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** Most names of which the meaning is kept, and the longest of them. */
const MOST_KNOWN = 2000;
const LONGEST_KNOWN = 100;

/** A function that keeps what names mean, because rows repeat the same ones. Names come from servers too, so there may be any number of them. */
export function remembered(decide: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const answer = decide(name);
    if (known.size >= MOST_KNOWN) known.clear();
    if (name.length <= LONGEST_KNOWN) known.set(name, answer);
    return answer;
  };
}

/** Headers whose values are shown: those of HTTP itself, of caches, of paging and of tracing. Any other header is masked. */
const HARMLESS_HEADERS = new RegExp(
  `^(?:${[
    'accept|accept-.*|access-control-.*|age|allow|alt-svc|cache-control|connection|content-.*|cross-origin-.*|date|dnt|etag|expires|host|idempotency-key',
    'if-.*|keep-alive|last-event-id|last-modified|link|location|nel|odata-.*|origin|pragma|prefer|preference-applied|priority|range|ratelimit.*|referer',
    'referrer-policy|report-to|retry-after|sec-ch-.*|sec-fetch-.*|server|server-timing|strict-transport-security|te|traceparent|tracestate',
    'transfer-encoding|upgrade-insecure-requests|user-agent|vary|via|warning|x-content-type-options|x-correlation-id|x-frame-options',
    'x-http-method-override|x-powered-by|x-ratelimit.*|x-request-id|x-requested-with|x-total.*|x-xss-protection',
  ].join('|')})$`,
  'i',
);

export function isHarmlessHeader(name: string): boolean {
  return HARMLESS_HEADERS.test(name);
}
