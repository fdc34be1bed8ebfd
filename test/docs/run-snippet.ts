import { inspect, isDeepStrictEqual } from 'node:util';
import ts from 'typescript';
import type { Snippet } from './snippet.js';

/** What a page may import. */
const modules: Readonly<Record<string, () => Promise<unknown>>> = {
  repose: () => import('repose'),
  'repose/core': () => import('repose/core'),
  'repose/groups': () => import('repose/groups'),
  'repose/namespace': () => import('repose/namespace'),
  'repose/outbox': () => import('repose/outbox'),
  'repose/testing': () => import('repose/testing'),
  'node:fs': () => import('node:fs'),
  'node:os': () => import('node:os'),
  'node:path': () => import('node:path'),
  zod: () => import('zod'),
  // Tests that a page declares are only declared: they cannot run inside of one.
  vitest: async () => ({
    describe: (_name: string, define: () => void) => define(),
    test: Object.assign(() => {}, { skip: () => {} }),
  }),
};

/** A request of a snippet. */
interface Sent {
  readonly line: string;
  readonly body: string;
  status: number | undefined;
}

/** Answers requests. */
export type Server = (request: Request) => Response | Promise<Response>;

/**
 * Takes answers out of a page's text, each for one request, before a server is asked:
 * `<!-- the server answers POST /orders with 201 Location: /orders/9 {"ok":true} -->`, or `with nothing`.
 */
export function withAnswers(text: string, server: Server): Server {
  const told = [...text.matchAll(/<!-- the server answers (\w+ \S+) with (?:(\d+)|nothing)(.*?) -->/g)];
  return (request) => {
    const { pathname, search } = new URL(request.url);
    const at = told.findIndex(([, line = '']) => like(line, decode(`${request.method} ${pathname}${search}`)));
    if (at < 0) return server(request);
    const [[, , status, rest = '']] = told.splice(at, 1) as [RegExpMatchArray];
    if (status === undefined) throw new TypeError('fetch failed');
    const headers = new Headers();
    const body = rest.replace(/([A-Za-z-]+): (\S+)/g, (all, name: string, value: string) => {
      if (/[{[]/.test(rest.slice(0, rest.indexOf(all)))) return all;
      headers.set(name, value);
      return '';
    });
    return new Response(body.trim() || null, { status: Number(status), headers });
  };
}

/**
 * Runs the module of a page. Each request that it sends must stand in a comment behind the statement that sends it, what it
 * prints and shows must be what its comments say. Throws an error that names the page's line.
 */
export async function runSnippet(
  snippet: Snippet,
  server: Server,
  use: (fetch: typeof globalThis.fetch) => void,
): Promise<void> {
  const run = new Run(snippet, server);
  use(run.fetch);
  const { outputText } = ts.transpileModule(snippet.code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS },
  });
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<void>;
  const body = new AsyncFunction('require', 'exports', 'console', '__before', '__after', '__value', outputText);
  const loaded = new Map<string, unknown>();
  for (const [, name = ''] of snippet.code.matchAll(/^import .* from '(.+)';/gm)) {
    const load = modules[name];
    if (!load) throw new Error(`${snippet.file}: the runner knows no module '${name}'`);
    loaded.set(name, await load());
  }
  const load = (name: string) => loaded.get(name);
  const console = { log: (...values: unknown[]) => run.print(values) };
  try {
    await body(load, {}, console, run.before, run.after, run.value);
    await run.finish();
  } catch (error) {
    throw new Error(`${run.place}: ${(error as Error).message}`, { cause: error });
  } finally {
    await run.end();
  }
}

class Run {
  private at = 0;
  private sent: Sent[] = [];
  private printed: string[] = [];
  private shown: { value: unknown } | undefined = undefined;
  private running = 0;
  private gate: { open: boolean; wait: Promise<void>; release: () => void } = closedGate();

  constructor(
    private readonly snippet: Snippet,
    private readonly server: Server,
  ) {}

  get place(): string {
    return `${this.snippet.file}:${this.snippet.steps[this.at]?.line}`;
  }

  /** Notes a request at once; answers it when a statement waits. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const sent: Sent = {
      line: `${request.method} ${pathname}${search}`,
      body: typeof init?.body === 'string' ? init.body : '',
      status: undefined,
    };
    this.sent.push(sent);
    this.running += 1;
    try {
      await this.gate.wait;
      const response = await this.server(request);
      sent.status = response.status;
      return response;
    } finally {
      this.running -= 1;
    }
  };

  print(values: readonly unknown[]): void {
    this.printed.push(...values.map(textOf).join(' ').split('\n'));
  }

  readonly value = (_step: number, value: unknown): void => {
    this.shown = { value };
  };

  readonly before = (step: number): void => {
    this.at = step;
    if (!this.snippet.steps[step]?.waits) return;
    this.gate.open = true;
    this.gate.release();
  };

  readonly after = async (step: number): Promise<void> => {
    await this.idle();
    if (this.gate.open) this.gate = closedGate();
    const { requests = [], output = [] } = this.snippet.steps[step] ?? {};
    this.compareRequests(requests);
    if (this.printed.length) this.comparePrinted(output);
    else if (this.shown) this.compareShown(output[0] ?? '');
    this.sent = [];
    this.printed = [];
    this.shown = undefined;
  };

  /** What nobody waited for must have been told of, too. */
  async finish(): Promise<void> {
    await this.idle();
    this.compareRequests([]);
  }

  /** Lets everything that is still held back end. */
  async end(): Promise<void> {
    this.gate.release();
    this.gate.open = true;
    await this.idle();
  }

  /** Resolves when nothing goes on any more but what is held back. */
  private async idle(): Promise<void> {
    for (let calm = 0; calm < 5; ) {
      await new Promise(setImmediate);
      calm = this.gate.open && this.running > 0 ? 0 : calm + 1;
    }
  }

  private compareRequests(expected: readonly string[]): void {
    const got = this.sent.map(({ line, body, status }) => `${decode(line)} ${body} → ${status}`);
    const same =
      expected.length === this.sent.length && expected.every((each, i) => matches(each, this.sent[i] as Sent));
    if (!same)
      throw new Error(
        `the page says\n  ${expected.join('\n  ') || 'nothing'}\nbut sent is\n  ${got.join('\n  ') || 'nothing'}`,
      );
  }

  private comparePrinted(expected: readonly string[]): void {
    const same =
      this.printed.length === expected.length && this.printed.every((line, i) => like(expected[i] ?? '', line));
    if (!same)
      throw new Error(`the page says\n  ${expected.join('\n  ')}\nbut printed is\n  ${this.printed.join('\n  ')}`);
  }

  private compareShown(expected: string): void {
    const { value } = this.shown as { value: unknown };
    if (like(expected, textOf(value)) || like(expected, inspect(value)) || isDeepStrictEqual(literal(expected), value))
      return;
    throw new Error(`the page says\n  ${expected}\nbut it is\n  ${inspect(value)}`);
  }
}

function closedGate(): { open: boolean; wait: Promise<void>; release: () => void } {
  let release = () => {};
  const wait = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { open: false, wait, release };
}

/** Whether a comment tells of a request: address, then the body and `→ status` where they are given; `…` is anything. */
function matches(comment: string, { line, body, status }: Sent): boolean {
  const [, address = '', json, code] = /^(\S+ \S+)(?: ([{[].*?))?(?: → (\d+).*)?$/.exec(comment) ?? [];
  return (
    (like(address, line) || like(address, decode(line))) &&
    (json === undefined || like(json, body)) &&
    (code === undefined || code === String(status))
  );
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

function like(pattern: string, text: string): boolean {
  const parts = pattern.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { breakLength: 110 });
}

/** The value that a comment writes down; a value that nothing equals where it is none. */
function literal(text: string): unknown {
  try {
    return new Function(`return (${text});`)();
  } catch {
    return Symbol('none');
  }
}
