import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import type Libsql from 'libsql';
import type { AppLayer } from './app-layer/layer.js';
import type { RowChange } from './data/scope.js';
import { isApiPath, readAddress } from './http/address.js';
import { route } from './http/route.js';
import { Problem } from './problem.js';

/** State of the server that the routes use. */
export interface AppOptions {
  /** The open database; throws a problem once the server is closed. */
  readonly database: () => Libsql.Database;
  readonly now: () => Date;
  /** Answers the addresses of the web application. */
  readonly layer: AppLayer;
  readonly page: (path: string) => Response | undefined;
  readonly log: (line: string) => void;
}

const MAX_BODY = 16 * 1024 * 1024;

function asProblem(error: unknown, log: AppOptions['log']): Problem {
  if (error instanceof Problem) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  log(`failed: ${String(message ?? error)}`);
  if (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) {
    return new Problem(503, 'The database is in use by another process', {}, { 'Retry-After': '1' });
  }
  return new Problem(500, 'The server failed');
}

async function answer(request: Request, env: Partial<HttpBindings>, options: AppOptions): Promise<Response> {
  const url = new URL(request.url);
  if (!isApiPath(url.pathname)) {
    const page = request.method === 'GET' || request.method === 'HEAD' ? options.page(url.pathname) : undefined;
    if (page) return page;
  }
  if (/^\/app(\/|$)/.test(url.pathname)) return await options.layer.answer(request, url, env);
  const address = readAddress(url.pathname);
  if (!address) throw new Problem(404, 'There is nothing at this address');
  const changes: RowChange[] = [];
  const response = await route({
    db: options.database(),
    table: address.table,
    address,
    request,
    url,
    now: options.now().toISOString(),
    who: 'API',
    changes,
  });
  options.layer.tell(changes);
  return response;
}

/** Makes the Hono application. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    options.log(`${context.req.method} ${new URL(context.req.url).pathname} ${context.res.status}`);
  });
  app.use(
    cors({
      origin: '*',
      allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposeHeaders: ['ETag', 'Location', 'Link', 'X-Total-Count', 'Idempotent-Replay', 'Allow'],
      maxAge: 600,
    }),
  );
  app.use(
    bodyLimit({
      maxSize: MAX_BODY,
      onError: () => new Problem(413, `The body has more than ${MAX_BODY} bytes`).toResponse(),
    }),
  );
  app.all('*', (context) => answer(context.req.raw, context.env ?? {}, options));
  app.onError((error) => asProblem(error, options.log).toResponse());
  return app;
}
