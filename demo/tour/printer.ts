import { STATUS_CODES } from 'node:http';
import type { TracePart } from 'repose';
import type { Exchange } from '../watched-proxy.js';
import { createStyle, type Style } from './style.js';
import { fill, readable, shorten, wrap } from './text.js';

/** Output of the tour. */
export interface PrinterOptions {
  write(line: string): void;
  colour: boolean;
}

/** Width of a line, in columns. */
const WIDTH = 100;
/** Width of the labels, in columns. */
const LABEL = 10;
/** Width of a part of a request, in columns, which leaves room for its rule and option. */
const PART = 60;

/** Prints the tour: labels on the left, at most 100 columns. */
export class Printer {
  readonly style: Style;
  private steps = 0;
  private readonly write: (line: string) => void;

  constructor({ write, colour }: PrinterOptions) {
    this.write = write;
    this.style = createStyle(colour);
  }

  /** Prints a line as it is. */
  line(text = ''): void {
    this.write(text);
  }

  /** Prints the heading of a step. */
  step(title: string, remark: string): void {
    this.steps += 1;
    this.line();
    this.line(this.style.title(`${String(this.steps).padStart(2)}  ${title}`));
    this.line(`    ${remark}`);
    this.line();
  }

  /** Prints lines with a label beside the first one. */
  block(label: string, lines: readonly string[]): void {
    for (const [i, text] of lines.entries())
      this.line(`${this.style.dim((i === 0 ? label : '').padEnd(LABEL))}${text}`.trimEnd());
  }

  /** Prints the code that runs next. */
  call(code: string): void {
    this.block(
      'call',
      code.split('\n').map((line) => this.style.code(line)),
    );
  }

  /** Prints a request with the rules that made its parts, and the answer with a number of lines of its body. */
  exchange({ explanation, operation }: Exchange, bodyLines = 2): void {
    const { request, refused, parts, method, headers, body } = explanation;
    this.line();
    if (refused) {
      const [first = '', ...more] = wrap(`refused: ${refused.message}`, WIDTH - LABEL);
      return this.block('request', [first.replace('refused:', this.style.bad('refused:')), ...more]);
    }
    const rows = [...(method ? [method] : []), ...parts.map(decoded), ...joined(headers)];
    this.block('request', [
      this.style.title(shorten(`${request?.method} ${request?.url}`, WIDTH - LABEL)),
      ...rows.flatMap((part) => this.part(part)),
      ...(body ? this.part(body, bodyLines) : []),
    ]);
    this.reply(operation);
  }

  /** Prints a part, its rule and its option in columns. */
  private part({ text, rule, option }: TracePart, most?: number): string[] {
    const [first = '', ...more] = fill(text, PART, most);
    return [`${first.padEnd(PART)}  ${this.style.dim(`${rule.padEnd(9)}  ${option}`)}`, ...more];
  }

  private reply({ response, error }: Exchange['operation']): void {
    if (!response) return this.block('reply', [this.style.bad(`none: ${error?.message ?? 'not sent'}`)]);
    const { status, headers, text } = response;
    const paint = status < 400 ? this.style.good : this.style.bad;
    const location = headers.get('location');
    const head = `${status} ${STATUS_CODES[status] ?? ''}${location ? `, Location: ${location}` : ''}`;
    this.block('reply', [paint(head), ...fill(text, WIDTH - LABEL, 2)]);
  }
}

/** Decodes the query of a request, so that it is easier to read. */
function decoded(part: TracePart): TracePart {
  return { ...part, text: readable(part.text) };
}

/** Joins the headers of one origin into one line. */
function joined(headers: readonly TracePart[]): TracePart[] {
  const byOrigin = new Map<string, TracePart>();
  for (const part of headers) {
    const key = `${part.rule} ${part.option}`;
    const before = byOrigin.get(key);
    byOrigin.set(key, before ? { ...part, text: `${before.text}, ${part.text}` } : part);
  }
  return [...byOrigin.values()];
}
