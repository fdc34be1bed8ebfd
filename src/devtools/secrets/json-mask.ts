import { JsonTokens, stringOf } from './json-tokens.js';
import { type Edit, edited } from './text-edits.js';
import { MASK } from './token-shapes.js';

/** The rules by which JSON is masked. */
export interface JsonRules {
  /** Whether the value of a member is a secret. */
  isSecret(name: string): boolean;
  /** The text in place of a secret value. */
  hidden(value: string): string;
  /** The text of any other string without its secrets. */
  text(value: string): string;
}

/** Members that name another member, whose value stands beside: `{ "property": "iban", "value": … }`. */
const NAMING: ReadonlySet<string> = new Set('property field name key path header param parameter attribute'.split(' '));
const NAMED: ReadonlySet<string> = new Set('value values val content'.split(' '));
const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null']);
/** Shorter names of members are no tokens. */
const SHORTEST_TOKEN = 20;
/** The end of a name of a member. */
const SPACE_AND_COLON = /\s{1,20}:/y;
/** A name of a member, field or header, also a path; no sentence. */
export const AN_IDENTIFIER: RegExp = /^[\w.\-/[\]$@:]{1,100}$/;

/** JSON without its secrets, also JSON that was cut. All else stays as it is written, digits of numbers included. */
export function maskedJson(text: string, rules: JsonRules): string {
  const mask = new JsonMask(text, rules);
  const tokens = new JsonTokens(text);
  while (tokens.next()) mask.take(tokens);
  return mask.end();
}

/** An object or list while it is read. */
interface Frame {
  /** The name of the member whose value comes next. */
  name: string | undefined;
  /** Whether a member names a secret whose value stands beside it; undefined: no member has named anything yet. */
  namesSecret: boolean | undefined;
  /** The place of that value. */
  value: { readonly start: number; end: number } | undefined;
}

/** Reads JSON token by token; nothing recurses, however deep the JSON is. */
class JsonMask {
  private readonly edits: Edit[] = [];
  private frame: Frame = { name: undefined, namesSecret: false, value: undefined };
  private readonly outer: Frame[] = [];
  /** The beginning of a secret object or list, and how many brackets are open in it. */
  private hiddenFrom: number | undefined = undefined;
  private open = 0;

  constructor(
    private readonly text: string,
    private readonly rules: JsonRules,
  ) {}

  take(token: JsonTokens): void {
    const { kind, start, end } = token;
    if (this.hiddenFrom !== undefined) this.skip(token, this.hiddenFrom);
    else if (kind === 'open') this.enter(start);
    else if (kind === 'close') this.leave(end);
    else if (kind === 'comma') this.frame.name = undefined;
    else if (kind === 'string' && this.isName(end)) this.takeName(start, end);
    else if (kind !== 'colon') this.takeValue(token);
  }

  private takeName(start: number, end: number): void {
    const name = stringOf(this.text.slice(start, end));
    this.frame.name = name;
    // Some objects have tokens for names, such as `{ "sessions": { "eyJ…": {} } }`.
    if (name.length < SHORTEST_TOKEN) return;
    const masked = this.rules.text(name);
    if (masked !== name) this.edits.push({ start, end, text: JSON.stringify(masked) });
  }

  /** The masked text. In an object that was cut, the name of a value may be in the part that is not there. */
  end(): string {
    const { text, edits, hiddenFrom } = this;
    if (hiddenFrom !== undefined) edits.push({ start: hiddenFrom, end: text.length, text: `"${MASK}"` });
    for (const { namesSecret = true, ...frame } of [this.frame, ...this.outer]) this.settle({ namesSecret, ...frame });
    return edited(text, edits);
  }

  private skip({ kind, end }: JsonTokens, start: number): void {
    if (kind === 'open') this.open += 1;
    if (kind === 'close') this.open -= 1;
    if (this.open > 0) return;
    this.edits.push({ start, end, text: `"${MASK}"` });
    this.hiddenFrom = undefined;
  }

  private enter(start: number): void {
    const { frame, text } = this;
    const { name } = frame;
    if (name !== undefined && this.rules.isSecret(name)) {
      this.hiddenFrom = start;
      this.open = 1;
      return;
    }
    if (name !== undefined && NAMED.has(name.toLowerCase())) frame.value = { start, end: text.length };
    this.outer.push(frame);
    this.frame = { name: undefined, namesSecret: undefined, value: undefined };
  }

  private leave(end: number): void {
    const around = this.outer.pop();
    if (!around) return;
    this.settle(this.frame);
    this.frame = around;
    if (around.value && around.name !== undefined && NAMED.has(around.name.toLowerCase())) around.value.end = end;
  }

  private settle({ namesSecret, value }: Frame): void {
    if (!namesSecret || !value) return;
    const literal = this.text.slice(value.start, value.end);
    const hidden = this.rules.hidden(literal.startsWith('"') ? stringOf(literal) : literal);
    this.edits.push({ ...value, text: `"${hidden}"` });
  }

  private takeValue({ kind, start, end }: JsonTokens): void {
    const { frame, rules, edits } = this;
    const { name = '' } = frame;
    const literal = this.text.slice(start, end);
    const value = kind === 'string' ? stringOf(literal) : literal;
    // Such values say nothing: `"hasPassword": true`.
    if (value === '' || (kind === 'other' && LITERALS.has(value))) return;
    if (rules.isSecret(name)) {
      edits.push({ start, end, text: `"${rules.hidden(value)}"` });
      return;
    }
    const lower = name.toLowerCase();
    if (NAMED.has(lower)) frame.value = { start, end };
    if (kind !== 'string') return;
    // A name at the end of the text may be the beginning of another one.
    if (NAMING.has(lower) && end < this.text.length)
      frame.namesSecret ||= AN_IDENTIFIER.test(value) && rules.isSecret(value);
    const masked = rules.text(value);
    if (masked !== value) edits.push({ start, end, text: JSON.stringify(masked) });
  }

  /** Whether a string that ends here is the name of a member. */
  private isName(end: number): boolean {
    SPACE_AND_COLON.lastIndex = end;
    return this.text[end] === ':' || SPACE_AND_COLON.test(this.text);
  }
}
