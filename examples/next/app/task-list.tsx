'use client';

import { useState } from 'react';
import { Session } from 'repose';
import { useField, useRecord, useStore } from 'repose/react';
import { hydrate } from 'repose/ssr';
import { createTasks, Task } from './tasks';

/** Rendered on the server with the page, and again in the browser, which goes on with the same rows. */
export function TaskList({ state }: { state: string }) {
  const [store] = useState(() => {
    const session = new Session();
    hydrate(session, state, { task: Task });
    return createTasks(Task, session);
  });
  const { records, loading, error, retry, pending, total, hasMore, loadMore } = useStore(store);
  return (
    <>
      <ul>
        {records.map((task) => (
          <TaskRow key={task.$.key} task={task} />
        ))}
      </ul>
      <button type="button" disabled={loading || !hasMore} onClick={loadMore}>
        More
      </button>
      <p role="status">{loading ? 'Loading' : `${total} tasks, ${pending} to save`}</p>
      {error && (
        <p role="alert">
          {error.userMessage}{' '}
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </>
  );
}

function TaskRow({ task }: { task: Task }) {
  const title = useField(task, 'title');
  const { dirty, saving, error, save } = useRecord(task);
  return (
    <li>
      <input aria-label="Title" value={title.value} onChange={(event) => task.set('title', event.target.value)} />
      <time>{task.due?.toISOString()}</time>
      <button type="button" disabled={saving || !dirty} onClick={save}>
        Save
      </button>
      {error && <strong>{error.userMessage}</strong>}
    </li>
  );
}
