import { length, Model, plain, Store } from 'repose';

/** The model of the screens that show a binding. */
export class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [length({ min: 1 })] },
    due: 'date',
  },
  proxy: { type: 'rest', url: '/api/tasks', dialect: plain() },
}) {}

/** All tasks of the server. */
export const tasks = new Store({ model: Task, pageSize: 0 });

/** A record that is in no store. */
export const loose = Task.fromRow({ id: 900, title: 'Loose', due: '2026-11-23T00:00:00Z' });

declare global {
  interface Window {
    /** For tests, which change records from outside of the screen. */
    tasks: typeof tasks;
    loose: Task;
    /** Shows another record or list where a screen can do so. */
    swap(): void;
    /** Removes the part of the screen that uses the binding. */
    leave(): void;
  }
}

window.tasks = tasks;
window.loose = loose;

/** The state of a record in one word: `saving`, the code of its error, `new`, `edited` or `saved`. */
export function stateOf({ saving, error, phantom, dirty }: ReturnType<Task['$']['state']['get']>): string {
  return saving ? 'saving' : (error?.code ?? (phantom ? 'new' : dirty ? 'edited' : 'saved'));
}

/** The activity of a store in one line. */
export function activityOf({ loading, saving, error, pending }: ReturnType<typeof tasks.status.get>): string {
  return `${loading ? 'loading' : saving ? 'saving' : (error?.code ?? 'idle')}, ${pending} pending`;
}
