import { Model, plain, presence, type Session, Store } from 'repose';

export class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: { type: 'string', validators: [presence()] }, due: { type: 'date', allowNull: true } },
  proxy: { url: '/api/tasks', dialect: plain() },
}) {}

/** The server and the page make the same store, so that the page finds the list of the server. */
export const createTasks = (model: typeof Task, session: Session) =>
  new Store({ model, session, pageSize: 4, remoteSort: true, sorters: ['title'] });
