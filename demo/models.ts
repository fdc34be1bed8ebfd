import { idempotency, length, Model, presence } from 'repose';

/**
 * A task of the demo server. The server's rows have more members than are declared here (`origin`, `createdAt`, …):
 * a PUT carries them back as they came.
 */
export class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [presence(), length({ max: 500 })] },
    done: { type: 'boolean', defaultValue: false },
    // The server wants 1 to 5. That is not said here, to show what becomes of a save that it refuses.
    priority: { type: 'int', defaultValue: 3 },
    due: { type: 'dateonly', allowNull: true },
    estimate: { type: 'number', allowNull: true },
  },
  proxy: {
    type: 'rest',
    url: '/api/tasks',
    noCache: false, // the server says itself what may be cached
    reader: { rootProperty: 'data' },
    use: [idempotency()], // a create without an answer can be saved again, and is done once
  },
}) {}
