import { memo } from 'react';
import { useField, useRecord } from 'repose/react';
import type { Task } from './tasks';

/** Rendered once: each part renders what it shows. */
export const TaskRow = memo(({ task }: { task: Task }) => (
  <li>
    <Done task={task} />
    <Title task={task} />
    <Actions task={task} />
  </li>
));

function Done({ task }: { task: Task }) {
  const { value } = useField(task, 'done');
  return (
    <input
      type="checkbox"
      aria-label="Done"
      checked={value}
      onChange={(event) => task.set('done', event.target.checked)}
    />
  );
}

function Title({ task }: { task: Task }) {
  const { value, errors } = useField(task, 'title');
  return (
    <>
      <input aria-label="Title" value={value} onChange={(event) => task.set('title', event.target.value)} />
      {errors.map((issue) => (
        <em key={issue.message}>{issue.message}</em>
      ))}
    </>
  );
}

function Actions({ task }: { task: Task }) {
  const { dirty, phantom, saving, queued, errors, error, save, reject, erase } = useRecord(task);
  return (
    <>
      <button type="button" disabled={saving || !(dirty || phantom)} onClick={save}>
        Save
      </button>
      <button type="button" disabled={!dirty} onClick={reject}>
        Undo
      </button>
      <button type="button" disabled={saving} onClick={erase}>
        Remove
      </button>
      <span>{saving ? 'saving' : queued ? 'kept' : phantom ? 'new' : dirty ? 'edited' : 'saved'}</span>
      {error && !errors.title && <strong>{error.userMessage}</strong>}
    </>
  );
}
