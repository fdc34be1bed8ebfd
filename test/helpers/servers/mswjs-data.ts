import { installedVersion, startApp } from './node-app.js';
import type { RealServer } from './real-server.js';

/** @mswjs/data with the rows of `USERS` at `/users`. */
export function startMswjsData(): Promise<RealServer> {
  return startApp('mswjs-data', '/users/1');
}

export function mswjsDataVersion(): Promise<string> {
  return installedVersion('mswjs-data', '@mswjs/data');
}
