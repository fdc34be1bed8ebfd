import { installedVersion, startApp } from './node-app.js';
import type { RealServer } from './real-server.js';

/** LoopBack 3 with the rows of `USERS` in memory at `/api/users`. */
export function startLoopback3(): Promise<RealServer> {
  return startApp('loopback-3', '/api/users/1');
}

export function loopback3Version(): Promise<string> {
  return installedVersion('loopback-3', 'loopback');
}

/** LoopBack 4 with the rows of `USERS` in memory at `/users`. */
export function startLoopback4(): Promise<RealServer> {
  return startApp('loopback-4', '/users/1');
}

export function loopback4Version(): Promise<string> {
  return installedVersion('loopback-4', '@loopback/rest');
}
