import { length, Model, plain, Store } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';

const titles = ['Call the bank', 'Book flights', 'Draw the plan', 'Ask for offers', 'Empty the bin', 'Feed the cat'];

// A server in memory. With a server of your own, remove it, `baseUrl` and `fetch`.
const server = restServer({
  collections: { '/api/tasks': titles.map((title, i) => ({ id: i + 1, title, done: i % 2 === 1 })) },
});

/** Keeps what is saved without a network, and sends it later. To keep it over a reload: `indexedDbStorage()`, after `npm i idb`. */
export const outbox = new Outbox({ scope: 'demo', storage: memoryStorage() });

export class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [length({ min: 1, message: 'A task needs a title' })] },
    done: 'boolean',
  },
  proxy: { url: '/api/tasks', baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain(), use: [outbox] },
}) {}

export const tasks = new Store({
  model: Task,
  pageSize: 4,
  remoteSort: true,
  remoteFilter: true,
  sorters: ['title'],
});
