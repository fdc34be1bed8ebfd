/** A string or a number of a JSON text. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** Prefix of the text that replaces a number. */
const MARK = '\u0000';

/** The members of a JSON object, each as JSON text: the digits of a number are those that were sent. */
export type Members = Readonly<Record<string, string>>;

/** Parses JSON, with every number as a marked text of its digits. */
function parseMarked(text: string): unknown {
  return JSON.parse(text.replace(TOKEN, (token) => (token.startsWith('"') ? token : JSON.stringify(MARK + token))));
}

/** The JSON text of a result of `parseMarked`, with the original digits. */
function textOf(value: unknown): string {
  return JSON.stringify(value).replace(/"\\u0000([^"]*)"/g, '$1');
}

/** Splits a JSON object into its members. */
export function membersOf(text: string): Members {
  const data = parseMarked(text) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, textOf(value)]));
}

/** Splits a JSON array into its entries. */
export function entriesOf(text: string): readonly string[] {
  return (parseMarked(text) as unknown[]).map(textOf);
}

/** Joins members to an object. */
export function rowText(members: Members): string {
  return `{${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;
}

/** A JSON text in one form for each value: `1.10` is `11e-1`, and no digit is lost. */
export function canonical(text: string): string {
  const data = parseMarked(text);
  return JSON.stringify(data, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? `number ${canonicalNumber(value.slice(1))}` : value,
  );
}

/** A number literal in one form for each value. */
export function canonicalNumber(literal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  if (whole === '') return literal;
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return '0';
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}
