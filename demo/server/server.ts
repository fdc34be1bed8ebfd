import type { Hono } from 'hono';
import { createApp } from './app.js';
import { AppLayer } from './app-layer/layer.js';
import { closeDatabase, openDatabase, reseed } from './data/open.js';
import { DemoServerError } from './errors.js';
import { type Listening, type OpenSocket, openSocket } from './listen.js';
import { Problem } from './problem.js';

/** Options of a demo server. */
export interface DemoServerOptions {
  /** The SQLite file. It is created and filled if it does not exist, and otherwise used as it is. */
  readonly file: string;
  /**
   * Whether the file is filled again when it is opened, so that it always holds the same rows.
   * @default false
   */
  readonly refill?: boolean;
  /**
   * Number of tasks in a new file.
   * @default 3000
   */
  readonly rows?: number;
  /**
   * Number of orders in a new file, with one to three lines each.
   * @default 120
   */
  readonly orders?: number;
  /**
   * Seed of the generated rows: the same seed gives the same rows.
   * @default 1
   */
  readonly seed?: number;
  /** Answers a path outside the API, which is still encoded as in the URL; undefined means 404. */
  readonly page?: (path: string) => Response | undefined;
  /**
   * Seconds for which a sign-in of the web application is good before it has to be renewed.
   * @default 60
   */
  readonly expiresIn?: number;
  /**
   * Number of changes that are kept for streams that come back.
   * @default 5000
   */
  readonly eventLog?: number;
  /** Called with one line for each request and each failure. */
  readonly log?: (line: string) => void;
  /**
   * The clock for `createdAt`, `updatedAt` and `joined`.
   * @default the system's clock
   */
  readonly now?: () => Date;
}

/** A REST server over a SQLite file. */
export interface DemoServer {
  /** The application; `app.fetch(request)` answers in the same process, without a socket. */
  readonly app: Hono;
  /** Listens; port 0 means any free port. */
  listen(port?: number, host?: string): Promise<Listening>;
  /** Stops listening and closes the file; may be called again. */
  close(): Promise<void>;
  /** Deletes all rows and idempotency keys, and fills the file again. */
  reset(): void;
}

function wholeNumber(name: string, value: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= 0 && value <= max) return value;
  throw new DemoServerError('bad-option', `The option "${name}" must be a whole number from 0 to ${max}, not ${value}`);
}

/**
 * Opens the database and makes the server; throws a {@link DemoServerError} when the file cannot be used.
 *
 * @example
 * ```ts
 * const server = createDemoServer({ file: 'demo.sqlite' });
 * const { url } = await server.listen();
 * await fetch(`${url}/api/users/7`);
 * await server.close();
 * ```
 */
export function createDemoServer(options: DemoServerOptions): DemoServer {
  const log = options.log ?? (() => {});
  const content = {
    tasks: wholeNumber('rows', options.rows ?? 3000, 10_000_000),
    orders: wholeNumber('orders', options.orders ?? 120, 1_000_000),
    seed: wholeNumber('seed', options.seed ?? 1, 0xffffffff),
  };
  const { db, seeded } = openDatabase(options.file, content, options.refill ?? false);
  log(
    `${options.file}: ${seeded ? `filled with ${content.tasks} tasks and ${content.orders} orders` : 'used as it is'}`,
  );
  let sockets: Promise<OpenSocket> | undefined;
  let closing: Promise<void> | undefined;

  const database = () => {
    if (!db.open) throw new Problem(503, 'The server is closed');
    return db;
  };
  const now = options.now ?? (() => new Date());
  const layer = new AppLayer({
    database,
    now,
    expiresIn: wholeNumber('expiresIn', options.expiresIn ?? 60, 86_400),
    eventLog: wholeNumber('eventLog', options.eventLog ?? 5000, 1_000_000),
  });
  const app = createApp({
    database,
    layer,
    now,
    page: options.page ?? (() => undefined),
    log,
  });

  return {
    app,
    async listen(port = 0, host = '127.0.0.1') {
      if (closing) throw new DemoServerError('closed', 'The server is closed');
      if (sockets) throw new DemoServerError('listen-failed', 'The server listens already');
      sockets = openSocket(app, wholeNumber('port', port, 65_535), host);
      try {
        const { port: bound, url } = await sockets;
        return { port: bound, url };
      } catch (error) {
        sockets = undefined;
        throw error;
      }
    },
    close() {
      closing ??= (async () => {
        layer.close();
        await sockets?.then(
          (socket) => socket.close(),
          () => {},
        );
        closeDatabase(db);
      })();
      return closing;
    },
    reset() {
      if (closing) throw new DemoServerError('closed', 'The server is closed');
      reseed(db, content);
      layer.reset();
    },
  };
}
