import { Model, plain, Store, safeWrites } from 'repose';
import { useField, useRecord, useStore } from 'repose/react';

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: { url: '/api/tasks', dialect: plain(), use: [safeWrites()] },
}) {}

export default function Tasks() {
  const { records, error, retry, page, loadPage } = useStore(
    () => new Store({ model: Task, pageSize: 2, remoteSort: true, sorters: ['title'] }),
  );
  return (
    <>
      {error && (
        <p role="alert">
          {error.userMessage}{' '}
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      <ul>
        {records.map((task) => (
          <Row key={task.$.key} task={task} />
        ))}
      </ul>
      <button type="button" onClick={() => loadPage(page + 1)}>
        Next
      </button>
    </>
  );
}

function Row({ task }: { task: Task }) {
  const { value } = useField(task, 'title');
  const { dirty, saving, error, save } = useRecord(task);
  return (
    <li>
      <input aria-label="Title" value={value} onChange={(event) => task.set('title', event.target.value)} />
      <button type="button" disabled={!dirty || saving} onClick={save}>
        Save
      </button>
      {error?.userMessage}
    </li>
  );
}
