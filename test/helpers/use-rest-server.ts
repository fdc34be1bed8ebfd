import type { RestProxyConfig } from 'repose';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type RestServer, startRestServer } from './rest-server.js';

const HOST = 'http://rest.test';

/** A scripted server for the tests of a file, and proxies that can be made before it starts. */
export interface TestServer extends RestServer {
  /** Options of a proxy for models that are declared at the top of a file. */
  proxy<C extends RestProxyConfig>(url: string, config?: C): { type: 'rest' } & RestProxyConfig & C;
}

/** Starts a server before the tests of this file, resets it before each and stops it after them. */
export function useRestServer(): TestServer {
  const server = {
    proxy: (url, config) => ({
      type: 'rest',
      url,
      baseUrl: HOST,
      noCache: false,
      fetch: (input, init) => fetch(String(input).replace(HOST, server.url), init),
      ...(config as NonNullable<typeof config>),
    }),
  } as TestServer;
  beforeAll(async () => {
    // Copies the getters themselves, not their present values.
    Object.defineProperties(server, Object.getOwnPropertyDescriptors(await startRestServer()));
  });
  beforeEach(() => server.reset());
  afterAll(() => server.stop());
  return server;
}
