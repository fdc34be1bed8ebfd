import { Model, reference } from 'repose';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

export const server: ReturnType<typeof useRestServer> = useRestServer();

export class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users'),
}) {}

/** A task of a user, optionally below another task. */
export class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: 'string',
    ownerId: reference('int', { allowNull: true }),
    parentId: reference('int', { allowNull: true }),
  },
  proxy: server.proxy('/tasks'),
}) {
  static override references(): { ownerId: typeof User; parentId: typeof Task } {
    return { ownerId: User, parentId: Task };
  }
}

/** A note with an address below its task. */
export class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', text: 'string', taskId: reference('int') },
  proxy: server.proxy('/tasks/{taskId}/notes'),
}) {
  static override references(): { taskId: typeof Task } {
    return { taskId: Task };
  }
}

/** Answers every request with success; new ids count from 101. */
export function accepting(): (request: Received) => Reply {
  let last = 100;
  return ({ method, body }) =>
    method === 'POST'
      ? { status: 201, json: { ...body, id: (last += 1) } }
      : { status: method === 'PUT' ? 200 : 204, ...(method === 'PUT' && { json: body }) };
}

/** `POST /users {"name":"a"}`, one per request. */
export function sentLines(): string[] {
  return server.requests.map(({ method, url, text }) => [method, url, text].filter(Boolean).join(' '));
}
