import { type FormEvent, useState } from 'react';
import { useList, useOutbox, useStore } from 'repose/react';
import { TaskRow } from './task-row';
import { outbox, tasks } from './tasks';

export function App() {
  const filter = (openOnly: boolean) => {
    if (openOnly) tasks.filter({ property: 'done', value: false });
    else tasks.filter([]);
  };

  return (
    <>
      <label>
        Order
        <select onChange={(event) => tasks.sort(event.target.value as 'title' | 'id')}>
          <option value="title">by title</option>
          <option value="id">by number</option>
        </select>
      </label>
      <label>
        <input type="checkbox" onChange={(event) => filter(event.target.checked)} /> Open tasks only
      </label>
      <NewTask />
      <TaskList />
      <Pages />
      <Unsent />
    </>
  );
}

function NewTask() {
  const [title, setTitle] = useState('');
  const add = (event: FormEvent) => {
    event.preventDefault();
    tasks.insert(0, { title, done: false });
    setTitle('');
  };
  return (
    <form onSubmit={add}>
      <input aria-label="New task" value={title} onChange={(event) => setTitle(event.target.value)} />
      <button type="submit">Add</button>
    </form>
  );
}

function TaskList() {
  const list = useList(tasks);
  return (
    <ul>
      {list.slice().map((task) => (
        <TaskRow key={task.$.key} task={task} />
      ))}
    </ul>
  );
}

/** `useStore` loads the tasks when it is first shown. */
function Pages() {
  const { loading, error, total = 0, pending, page, loadPage, retry } = useStore(tasks);
  return (
    <>
      <button type="button" disabled={page === 1} onClick={() => loadPage(page - 1)}>
        Previous
      </button>
      <span>Page {page}</span>
      <button type="button" disabled={page * tasks.pageSize >= total} onClick={() => loadPage(page + 1)}>
        Next
      </button>
      {error ? (
        <p role="alert">
          {error.userMessage}
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      ) : (
        <p role="status">{loading ? 'Loading' : `${total} tasks, ${pending} to save`}</p>
      )}
    </>
  );
}

/** Tasks that were saved without a network, and those that the server has refused since. */
function Unsent() {
  const { queued, failed } = useOutbox(outbox);
  return (
    <>
      {queued > 0 && <p role="note">{queued} to send when you are online</p>}
      {failed.map(({ key, userMessage, retry, discard }) => (
        <p key={key} role="alert">
          {userMessage}
          <button type="button" onClick={retry}>
            Send again
          </button>
          <button type="button" onClick={discard}>
            Give up
          </button>
        </p>
      ))}
    </>
  );
}
