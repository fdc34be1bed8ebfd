import { useState } from 'react';
import { Model, Store } from 'repose';

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: { type: 'rest', url: '/api/tasks' },
}) {}

const tasks = new Store({ model: Task });

/** Sends requests, and shows how they ended. */
export default function Server() {
  const [status, setStatus] = useState('');
  const run = async (work: () => Promise<unknown>) => {
    setStatus('waiting');
    try {
      await work();
      setStatus('done');
    } catch (error) {
      setStatus((error as { code: string }).code);
    }
  };
  return (
    <>
      <button type="button" onClick={() => run(() => tasks.load())}>
        Load
      </button>
      <button type="button" onClick={() => run(async () => tasks.getAt(0)?.set('title', 'Changed').save())}>
        Save
      </button>
      <p role="status">{status}</p>
      <ul>
        {tasks.getRange().map((task) => (
          <li key={task.id}>{task.title}</li>
        ))}
      </ul>
    </>
  );
}
