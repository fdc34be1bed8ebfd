import { AjaxProxy, MemoryProxy, plain, RestProxy } from 'repose';
import { proxyContract } from 'repose/testing';
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
