import { AjaxProxy, MemoryProxy, plain, RestProxy } from 'repose';
import { proxyContract, type RestServerOptions, restServer } from 'repose/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type RunningServer, startServer } from '../demo/running-server.js';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';
import { rowsApi } from './rows-api.js';

const runner = { describe, test, skip: test.skip };

describe('MemoryProxy', () => {
  proxyContract({ createProxy: () => new MemoryProxy() }, runner);
});

describe('over HTTP', () => {
  let server: RestServer;
  const connection = () => ({ baseUrl: server.url, reader: { rootProperty: 'data' } });

  beforeAll(async () => {
    server = await startRestServer();
    server.always(rowsApi());
  });
  afterAll(() => server.stop());

  describe('RestProxy', () => {
    proxyContract({ createProxy: () => new RestProxy({ url: '/rows', ...connection() }) }, runner);
  });

  describe('AjaxProxy with an address per action', () => {
    const api = { create: '/rows/create', read: '/rows/read', update: '/rows/update', destroy: '/rows/destroy' };
    proxyContract({ createProxy: () => new AjaxProxy({ api, ...connection() }) }, runner);
  });
});

describe('RestProxy over the demo server', () => {
  let demo: RunningServer;

  beforeAll(async () => {
    demo = await startServer();
  });
  afterAll(() => demo.stop());

  const tasks = {
    fields: { id: 'int', title: 'string', estimate: 'number' },
    text: 'title',
    number: 'estimate',
    values: (n: number) => ({ title: `Ship "A&B" to ${n}/7`, estimate: n }),
  } as const;

  describe('classic', () => {
    const reader = { rootProperty: 'data' };
    proxyContract(
      { ...tasks, createProxy: () => new RestProxy({ baseUrl: demo.url, url: '/api/tasks', reader }) },
      runner,
    );
  });

  describe('plain', () => {
    proxyContract(
      { ...tasks, createProxy: () => new RestProxy({ baseUrl: demo.url, url: '/api/tasks', dialect: plain() }) },
      runner,
    );
  });

  describe('with a format', () => {
    const reader = { rootProperty: 'data' };
    proxyContract(
      { ...tasks, createProxy: () => new RestProxy({ baseUrl: demo.url, url: '/api/tasks', format: 'json', reader }) },
      runner,
    );
  });
});

describe('over a test server', () => {
  const connection = (options: Partial<RestServerOptions> = {}, path = '/rows') => {
    const { fetch, baseUrl } = restServer({ collections: { [path]: [] }, ...options });
    return { fetch, baseUrl, url: path };
  };

  describe('classic', () => {
    const rootProperty = 'data';
    const proxy = { ...connection({ envelope: { rootProperty } }), reader: { rootProperty } };
    proxyContract({ createProxy: () => new RestProxy(proxy) }, runner);
  });

  describe('plain, with latency', () => {
    const proxy = { ...connection({ latency: [1, 50] }), dialect: plain() };
    proxyContract({ createProxy: () => new RestProxy(proxy) }, runner);
  });

  describe('with uuids, wrapped rows and writes without a response body', () => {
    const rootProperty = 'rows';
    const envelope = { rootProperty, totalProperty: 'count', single: true };
    const own = connection({ envelope, replies: 'none', collections: { '/rows': { ids: 'uuid' } } });
    const reader = { rootProperty, totalProperty: 'count' };
    proxyContract({ createProxy: () => new RestProxy({ ...own, reader }) }, runner);
  });

  describe('below an owner, with a format', () => {
    const own = connection({}, '/users/{userId}/rows');
    const options = { ...own, dialect: plain(), format: 'json', pathParams: { userId: 7 } };
    proxyContract({ createProxy: () => new RestProxy(options) }, runner);
  });
});
