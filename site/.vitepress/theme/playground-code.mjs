// The options of the playground as code. The policy of the page allows no code that is made of text, so that literals are read here.

/** A word, a number, a text in quotes, or a sign. */
const TOKENS =
  /\s+|\/\/.*|([A-Za-z_$][\w$]*)|(-?\d+(?:\.\d+)?)|('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|([{}[\](),:])/y;
const WORDS = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
]);

/** A call such as `rails({ ransack: true })`. */
export class Call {
  constructor(name, args) {
    this.name = name;
    this.args = args;
  }
}

/** The value of a literal: objects, lists, texts, numbers, and calls of functions by name. Throws an error that names the place. */
export function readLiteral(text) {
  const tokens = tokensOf(text);
  let at = 0;
  const fail = () => {
    const { line = text.split('\n').length, found = 'the end' } = tokens[at] ?? {};
    throw new SyntaxError(`Line ${line}: ${found} is not expected here`);
  };
  const take = (sign) => {
    if (tokens[at]?.found !== sign) return false;
    at += 1;
    return true;
  };
  /** The parts up to a closing sign, with commas between them. */
  const list = (end, part) => {
    const parts = [];
    while (!take(end)) {
      parts.push(part());
      if (!take(',') && tokens[at]?.found !== end) fail();
    }
    return parts;
  };
  const member = () => {
    const { kind, found, value = found } = tokens[at] ?? fail();
    if (kind !== 'word' && kind !== 'text') fail();
    at += 1;
    if (!take(':')) fail();
    return [value, read()];
  };
  const read = () => {
    const { kind, found, value } = tokens[at] ?? fail();
    if (take('{')) return Object.fromEntries(list('}', member));
    if (take('[')) return list(']', read);
    if (kind === 'sign') fail();
    at += 1;
    if (kind !== 'word') return value;
    if (take('(')) return new Call(found, list(')', read));
    if (WORDS.has(found)) return WORDS.get(found);
    at -= 1;
    return fail();
  };
  const value = read();
  if (at < tokens.length) fail();
  return value;
}

function tokensOf(text) {
  const tokens = [];
  TOKENS.lastIndex = 0;
  while (TOKENS.lastIndex < text.length) {
    const from = TOKENS.lastIndex;
    const line = text.slice(0, from).split('\n').length;
    const match = TOKENS.exec(text);
    if (!match) throw new SyntaxError(`Line ${line}: ${text[from]} is not expected here`);
    const [, word, number, quoted, sign] = match;
    if (word) tokens.push({ kind: 'word', found: word, line });
    if (number) tokens.push({ kind: 'number', found: number, value: Number(number), line });
    if (quoted) tokens.push({ kind: 'text', found: quoted, value: quoted.slice(1, -1).replace(/\\(.)/g, '$1'), line });
    if (sign) tokens.push({ kind: 'sign', found: sign, line });
  }
  return tokens;
}

/** A value as code. */
export function writeLiteral(value, indent = '') {
  if (value instanceof Call) return `${value.name}(${value.args.map((each) => flat(each)).join(', ')})`;
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`;
  if (Array.isArray(value)) return `[${value.map(flat).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const members = Object.entries(value).map(
    ([name, each]) => `${inner}${nameOf(name)}: ${writeLiteral(each, inner)},\n`,
  );
  return members.length > 0 ? `{\n${members.join('')}${indent}}` : '{}';
}

/** A value in one line. */
function flat(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return writeLiteral(value);
  const members = Object.entries(value).map(([name, each]) => `${nameOf(name)}: ${flat(each)}`);
  return `{ ${members.join(', ')} }`;
}

const nameOf = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : writeLiteral(name));
