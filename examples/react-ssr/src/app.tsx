import type { Store } from 'repose';
import { useField, useList, useRecord, useStatus } from 'repose/react';
import type { Task } from './tasks';

const day = 24 * 60 * 60 * 1000;

/** Rendered by the server, then by the page. */
export function App({ tasks }: { tasks: Store<Task> }) {
  const list = useList(tasks);
  const { loading, error, pending, total, loadMore } = useStatus(tasks);
  return (
    <>
      <ul>
        {list.slice().map((task) => (
          <TaskRow key={task.$.key} task={task} />
        ))}
      </ul>
      <button type="button" disabled={loading || !tasks.hasMore} onClick={loadMore}>
        More
      </button>
      <p role="status">{error?.userMessage ?? (loading ? 'Loading' : `${total} tasks, ${pending} to save`)}</p>
    </>
  );
}

function TaskRow({ task }: { task: Task }) {
  const title = useField(task, 'title');
  const due = useField(task, 'due');
  const votes = useField(task, 'votes');
  const { dirty, saving, errors, error, save } = useRecord(task);
  return (
    <li>
      <input aria-label="Title" value={title.value} onChange={(event) => task.set('title', event.target.value)} />
      <time>{due.value.toISOString()}</time>
      <button type="button" onClick={() => task.set('due', new Date(due.value.getTime() + day))}>
        Postpone
      </button>
      <output>{votes.value.toString()}</output>
      <button type="button" onClick={() => task.set('votes', votes.value + 1n)}>
        Vote
      </button>
      <button type="button" disabled={saving || !dirty} onClick={save}>
        Save
      </button>
      {error && !errors.title && <strong>{error.userMessage}</strong>}
    </li>
  );
}
