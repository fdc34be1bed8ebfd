import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDemoServer, type DemoServer, type DemoServerOptions } from '../../demo/server/index.js';

/** A response, read to its end. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, or undefined without one. */
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check the body
  readonly body: any;
}

/** A task as the server sends it. */
export interface TaskRow {
  readonly id: number;
  readonly title: string;
  readonly done: boolean;
  readonly priority: number;
  readonly due: string | null;
  readonly estimate: number;
  readonly origin: string | null;
  readonly createdAt: string;
}

/** A user as the server sends it. */
export interface UserRow {
  readonly id: number;
  readonly joined: string;
  readonly salary: string;
}

/** How a request differs from a bare GET. */
export interface Send {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

/** A demo server that listens on a free port, over a file in a folder of its own. */
export interface RunningServer {
  readonly server: DemoServer;
  readonly url: string;
  readonly file: string;
  send(method: string, path: string, options?: Send): Promise<Reply>;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  /** GET with parameters; anything but a string is sent as JSON. */
  query(path: string, params: Record<string, unknown>): Promise<Reply>;
  stop(): Promise<void>;
}

/** Makes a folder for database files and says how to delete it. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'demo-server-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts a demo server. */
export async function startServer(options: Partial<DemoServerOptions> = {}): Promise<RunningServer> {
  const folder = temporaryFolder();
  const file = join(folder.path, 'demo.sqlite');
  const server = createDemoServer({ rows: 200, file, ...options });
  const { url } = await server.listen();

  const send: RunningServer['send'] = async (method, path, { json, text, headers = {} } = {}) => {
    const body = json === undefined ? text : JSON.stringify(json);
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(url + path, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const received = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: received === '' ? undefined : JSON.parse(received),
    };
  };
  const get: RunningServer['get'] = (path, headers) => send('GET', path, headers ? { headers } : {});

  return {
    server,
    url,
    file,
    send,
    get,
    query(path, params) {
      const pairs = Object.entries(params).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      return get(`${path}?${new URLSearchParams(pairs)}`);
    },
    async stop() {
      await server.close();
      folder.remove();
    },
  };
}
