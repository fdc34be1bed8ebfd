import { bigint, Model, plain, presence, type Session, Store } from 'repose';

export class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: 'string',
    due: { type: 'date', validators: [presence()] },
    votes: bigint({ defaultValue: 0n }),
  },
  proxy: { url: '/api/tasks', dialect: plain() },
}) {}

/** The server and the page make the same store, so that the page finds the list of the server. */
export function createTasks(model: typeof Task, session: Session): Store<Task> {
  return new Store({ model, session, pageSize: 4, remoteSort: true, sorters: ['title'], autoLoad: true });
}
