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
export function decodeBody(bytes: Uint8Array, type: string | null, isFailure: boolean): string {
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
