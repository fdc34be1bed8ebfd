import { inspect, isDeepStrictEqual } from 'node:util';
import type { FaultingFetch, RestServer, RestServerOptions } from 'repose/testing';
import ts from 'typescript';
import type { Snippet } from './snippet.js';

/** Modules that a page may import. */
const modules: Readonly<Record<string, () => Promise<unknown>>> = {
  repose: () => import('repose'),
  'repose/groups': () => import('repose/groups'),
  'repose/devtools': () => import('repose/devtools'),
  'repose/history': () => import('repose/history'),
  'repose/live': () => import('repose/live'),
  'repose/tree': () => import('repose/tree'),
  'repose/messages': () => import('repose/messages'),
  'repose/namespace': () => import('repose/namespace'),
  'repose/diagnostics': () => import('repose/diagnostics'),
  'repose/xml': () => import('repose/xml'),
  'repose/dialects': () => import('repose/dialects'),
  'repose/extend': () => import('repose/extend'),
  'repose/outbox': () => import('repose/outbox'),
  'repose/ssr': () => import('repose/ssr'),
  'repose/testing': () => import('repose/testing'),
  'node:assert': () => import('node:assert'),
  'node:fs': () => import('node:fs'),
  'node:os': () => import('node:os'),
  'node:path': () => import('node:path'),
  zod: () => import('zod'),
  // Tests that a page declares are not run: a test cannot run inside another.
  vitest: async () => ({
    describe: (_name: string, define: () => void) => define(),
    test: Object.assign(() => {}, { skip: () => {} }),
  }),
};

/** A request of a snippet. */
interface Sent {
  readonly line: string;
  readonly body: string;
  /** Whether a test server of the page answered it: such requests are compared only if the page shows any. */
  readonly local: boolean;
  status: number | undefined;
}

/** Answers requests. */
export type Server = (request: Request) => Response | Promise<Response>;

interface Exchange {
  readonly input: string | URL | Request;
  readonly init: RequestInit | undefined;
  readonly local: boolean;
  readonly answer: Server;
}

/**
 * Takes answers out of a page's text, each for one request, before a server is asked:
 * `<!-- the server answers POST /orders with 201 Location: /orders/9 {"ok":true} -->`, or `with nothing`.
 */
export function withAnswers(text: string, server: Server): Server {
  const scripted = [...text.matchAll(/<!-- the server answers (\w+ \S.*?) with (?:(\d+)|nothing)(.*?) -->/g)];
  return (request) => {
    const { pathname, search } = new URL(request.url);
    const at = scripted.findIndex(([, line = '']) => like(line, decode(`${request.method} ${pathname}${search}`)));
    if (at < 0) return server(request);
    const [[, , status, rest = '']] = scripted.splice(at, 1) as [RegExpMatchArray];
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
    const module = await load();
    loaded.set(name, name === 'repose/testing' ? run.observing(module as typeof import('repose/testing')) : module);
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

  /** The `fetch` of the page. */
  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    this.exchange({ input, init, local: false, answer: this.server });

  /** The module of test servers, whose requests are recorded as well. */
  observing(module: typeof import('repose/testing')): typeof import('repose/testing') {
    const restServer = (options: RestServerOptions): RestServer => {
      const server = module.restServer(options);
      const apply = (_target: unknown, _this: unknown, [input, init]: [string, RequestInit?]) =>
        this.exchange({ input, init, local: true, answer: () => server.fetch(input, init) });
      return { ...server, fetch: new Proxy<FaultingFetch>(server.fetch, { apply }) };
    };
    return { ...module, restServer };
  }

  /** Records a request at once, and answers it when a statement waits. */
  private async exchange({ input, init, local, answer }: Exchange): Promise<Response> {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const body = typeof init?.body === 'string' ? init.body : '';
    const sent: Sent = { line: `${request.method} ${pathname}${search}`, body, local, status: undefined };
    this.sent.push(sent);
    // A test server may hold a response until the page releases it.
    if (!local) this.running += 1;
    try {
      if (!local) await this.gate.wait;
      const response = await answer(request);
      sent.status = response.status;
      return response;
    } finally {
      if (!local) this.running -= 1;
    }
  }

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
    const { requests, output = [] } = this.snippet.steps[step] ?? {};
    if (requests) this.compareRequests(requests);
    // A program that prints nothing is compared as well.
    if (this.printed.length || !requests) this.comparePrinted(output);
    else if (this.shown) this.compareShown(output[0] ?? '');
    this.sent = [];
    this.printed = [];
    this.shown = undefined;
  };

  /** Compares the requests and the output that came after the last statement. */
  async finish(): Promise<void> {
    await this.idle();
    this.compareRequests([]);
  }

  /** Answers all requests that are still held. */
  async end(): Promise<void> {
    this.gate.release();
    this.gate.open = true;
    await this.idle();
  }

  /** Resolves when only held requests are still pending. */
  private async idle(): Promise<void> {
    for (let calm = 0; calm < 5; ) {
      await new Promise(setImmediate);
      calm = this.gate.open && this.running > 0 ? 0 : calm + 1;
    }
  }

  private compareRequests(expected: readonly string[]): void {
    const sent = expected.length ? this.sent : this.sent.filter(({ local }) => !local);
    const got = sent.map(({ line, body, status }) => `${decode(line)} ${body} → ${status}`);
    const same = expected.length === sent.length && expected.every((each, i) => matches(each, sent[i] as Sent));
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

/** Whether a comment describes this request: address, then body and `→ status` if given; `…` stands for anything. */
function matches(comment: string, { line, body, status }: Sent): boolean {
  const [, address = '', json, code] = /^(\S+ \S.*?)(?: ([{[].*?))?(?: → (\d+).*)?$/.exec(comment) ?? [];
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

/** The value in a comment; if there is none, a value that equals nothing. */
function literal(text: string): unknown {
  try {
    return new Function(`return (${text});`)();
  } catch {
    return Symbol('none');
  }
}
