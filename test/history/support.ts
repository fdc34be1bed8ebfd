import { conflicts, etags, Model, plain, Session, Store } from 'repose';
import { type HistoryOptions, historyOf } from 'repose/history';
import { type RestServer, restServer } from 'repose/testing';
import { type ManualClock, manualClock } from '../helpers/manual-clock.js';

export function taskOf(server: RestServer, versions: boolean = true) {
  return class extends Model.define({
    name: 'task',
    fields: {
      id: 'int',
      title: { type: 'string', defaultValue: '' },
      note: { type: 'string', defaultValue: '' },
      rank: { type: 'int', allowNull: true },
    },
    proxy: {
      ...{ type: 'rest', url: '/tasks', dialect: plain(), use: versions ? [etags(), conflicts()] : [] },
      ...{ baseUrl: server.baseUrl, fetch: server.fetch },
    },
  }) {};
}
export type Task = InstanceType<ReturnType<typeof taskOf>>;

/** A session class with a history. */
export function sessionWith(options: HistoryOptions = {}) {
  return class extends Session {
    constructor() {
      super();
      historyOf(this, options);
    }
  };
}

export interface World {
  readonly server: RestServer;
  readonly clock: ManualClock;
  readonly session: Session;
  readonly tasks: Store<Task>;
  /** The record with an id. */
  task(id: number): Task;
  /** The titles that the store shows. */
  titles(): readonly string[];
  /** The titles that the server has. */
  serverTitles(): readonly unknown[];
  /** Changes a row as another client. */
  change(id: number, values: object): void;
}

export async function openWorld(options: HistoryOptions & { readonly versions?: boolean } = {}): Promise<World> {
  const { versions = true, ...rest } = options;
  const server = restServer({
    collections: {
      '/tasks': ['one', 'two', 'three'].map((title, at) => ({ id: at + 1, title, note: '', rank: null })),
    },
  });
  const clock = manualClock();
  const session = new (sessionWith({ clock, ...rest }))();
  const tasks = new Store({ model: taskOf(server, versions), session, pageSize: 0 });
  await tasks.load();
  return {
    ...{ server, clock, session, tasks },
    task: (id) => tasks.getById(id) as Task,
    titles: () => [...tasks].map(({ title }) => title),
    serverTitles: () => server.rows('/tasks').map((row) => row['title']),
    change: (id, values) =>
      server.setRows(
        '/tasks',
        server.rows('/tasks').map((row) => (row['id'] === id ? { ...row, ...values } : row)),
      ),
  };
}

/** Ends the turn, so that what comes next is another step. */
export const turn = (): Promise<void> => Promise.resolve();
