import { length, Model, plain, Store } from 'repose';
import { restServer } from 'repose/testing';

// A server in memory. With a server of your own, remove it, `baseUrl` and `fetch`.
const server = restServer({
  collections: { '/api/tasks': ['Call', 'Book', 'Draw'].map((title, i) => ({ id: i + 1, title })) },
});

export class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [length({ min: 1, message: 'A task needs a title' })] },
  },
  proxy: { url: '/api/tasks', baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain() },
}) {}

export const tasks = new Store({ model: Task, pageSize: 0, sorters: ['id'], autoLoad: true });
