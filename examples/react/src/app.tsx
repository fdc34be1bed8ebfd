import { type FormEvent, useState } from 'react';
import { useList, useStatus } from 'repose/react';
import { TaskRow } from './task-row';
import { tasks } from './tasks';

export function App() {
  const [page, setPage] = useState(1);

  // `useStatus` shows the error of a load.
  const show = (next: number) => {
    setPage(next);
    tasks.loadPage(next).catch(() => undefined);
  };
  // A new order or filter begins with page 1.
  const sort = (name: string) => {
    tasks.sort(name as 'title' | 'id');
    setPage(1);
  };
  const filter = (openOnly: boolean) => {
    if (openOnly) tasks.filter({ property: 'done', value: false });
    else tasks.clearFilter();
    setPage(1);
  };

  return (
    <>
      <label>
        Order
        <select onChange={(event) => sort(event.target.value)}>
          <option value="title">by title</option>
          <option value="id">by number</option>
        </select>
      </label>
      <label>
        <input type="checkbox" onChange={(event) => filter(event.target.checked)} /> Open tasks only
      </label>
      <NewTask />
      <TaskList />
      <Pages page={page} show={show} />
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

function Pages({ page, show }: { page: number; show: (page: number) => void }) {
  const { loading, error, total = 0, pending } = useStatus(tasks);
  return (
    <>
      <button type="button" disabled={page === 1} onClick={() => show(page - 1)}>
        Previous
      </button>
      <span>Page {page}</span>
      <button type="button" disabled={page * tasks.pageSize >= total} onClick={() => show(page + 1)}>
        Next
      </button>
      {error ? (
        <p role="alert">
          {error.userMessage}
          <button type="button" onClick={() => show(page)}>
            Try again
          </button>
        </p>
      ) : (
        <p role="status">{loading ? 'Loading' : `${total} tasks, ${pending} to save`}</p>
      )}
    </>
  );
}
