import { conflicts, etags, idempotency, length, Model, presence } from 'repose';

/**
 * A task of the demo server. The rows of the server have more members than are declared here (`origin`, `createdAt`, …):
 * a PUT sends them back as they came.
 */
export class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [presence(), length({ max: 500 })] },
    done: { type: 'boolean', defaultValue: false },
    // The server accepts 1 to 5. No validator checks this, so that the demo can show a refused save.
    priority: { type: 'int', defaultValue: 3 },
    due: { type: 'dateonly', allowNull: true },
    estimate: { type: 'number', allowNull: true },
  },
  proxy: {
    type: 'rest',
    url: '/api/tasks',
    noCache: false, // the server says which answers may be cached
    reader: { rootProperty: 'data' },
    // A create without a response can be saved again without a duplicate. A PUT replaces the whole row: `etags()` lets the server
    // refuse one that would revert what others have changed, and `conflicts()` combines both sides.
    use: [idempotency(), etags(), conflicts()],
  },
}) {}
