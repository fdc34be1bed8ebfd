import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { DemoServerError } from './errors.js';

/** The address at which a server listens. */
export interface Listening {
  readonly port: number;
  /** The origin, without a final slash. */
  readonly url: string;
}

/** An open socket. */
export interface OpenSocket extends Listening {
  close(): Promise<void>;
}

// Milliseconds after which a client that does not end its request is disconnected.
const GRACE = 1000;

function failure(error: NodeJS.ErrnoException, port: number, host: string): DemoServerError {
  return error.code === 'EADDRINUSE'
    ? new DemoServerError('port-in-use', `Port ${port} of ${host} is in use; choose another, or 0 for any free one`, {
        cause: error,
      })
    : new DemoServerError('listen-failed', `Cannot listen on port ${port} of ${host}: ${error.message}`, {
        cause: error,
      });
}

function originOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function closeSocket(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => server.closeAllConnections(), GRACE);
    server.close(() => {
      clearTimeout(cutOff);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Opens a socket for the application; rejects with a {@link DemoServerError} when it cannot. */
export function openSocket(app: Hono, port: number, host: string): Promise<OpenSocket> {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(failure(error, port, host)));
    server.listen(port, host, () => {
      const bound = (server.address() as AddressInfo).port;
      resolve({ port: bound, url: originOf(host, bound), close: () => closeSocket(server) });
    });
  });
}
