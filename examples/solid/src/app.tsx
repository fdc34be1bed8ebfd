import { useField, useList, useRecord, useStatus } from 'repose/solid';
import { createSignal, For, Show } from 'solid-js';
import { type Task, tasks } from './tasks';

function TaskRow(props: { task: Task }) {
  const title = useField(() => props.task, 'title');
  const done = useField(() => props.task, 'done');
  const state = useRecord(() => props.task);
  const word = () => (state().saving ? 'saving' : state().phantom ? 'new' : state().dirty ? 'edited' : 'saved');
  return (
    <li>
      <input
        type="checkbox"
        aria-label="Done"
        checked={done().value}
        onChange={(event) => props.task.set('done', event.currentTarget.checked)}
      />
      <input
        aria-label="Title"
        aria-invalid={title().errors.length > 0}
        value={title().value}
        onInput={(event) => props.task.set('title', event.currentTarget.value)}
      />
      <For each={title().errors}>{(issue) => <em>{issue.message}</em>}</For>
      <button
        type="button"
        disabled={state().saving || !(state().dirty || state().phantom)}
        onClick={() => state().save()}
      >
        Save
      </button>
      <button type="button" disabled={!state().dirty} onClick={() => state().reject()}>
        Undo
      </button>
      <button type="button" disabled={state().saving} onClick={() => state().erase()}>
        Remove
      </button>
      <span>{word()}</span>
      <Show when={!state().errors.title && state().error}>{(error) => <strong>{error().userMessage}</strong>}</Show>
    </li>
  );
}

export function App() {
  const list = useList(tasks);
  const status = useStatus(tasks);
  const [page, setPage] = createSignal(1);
  const [newTitle, setNewTitle] = createSignal('');

  const sort = (order: string) => {
    tasks.sort(order as 'title' | 'id');
    setPage(1);
  };
  const filter = (openOnly: boolean) => {
    if (openOnly) tasks.filter({ property: 'done', value: false });
    else tasks.filter([]);
    setPage(1);
  };
  const show = (next: number) => {
    setPage(next);
    void status().loadPage(next);
  };
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    tasks.insert(0, { title: newTitle() });
    setNewTitle('');
  };
  const activity = () => {
    const { loading, saving, total, pending } = status();
    return loading ? 'Loading' : saving ? 'Saving' : `${total} tasks, ${pending} to save`;
  };

  return (
    <>
      <label>
        Order
        <select onChange={(event) => sort(event.currentTarget.value)}>
          <option value="title">by title</option>
          <option value="id">oldest first</option>
        </select>
      </label>
      <label>
        <input type="checkbox" onChange={(event) => filter(event.currentTarget.checked)} /> Open tasks only
      </label>
      <form onSubmit={add}>
        <input aria-label="New task" value={newTitle()} onInput={(event) => setNewTitle(event.currentTarget.value)} />
        <button type="submit">Add</button>
      </form>
      <p role="status">{activity()}</p>
      <Show when={status().error}>
        {(error) => (
          <p role="alert">
            {error().userMessage}{' '}
            <button type="button" onClick={() => show(page())}>
              Try again
            </button>
          </p>
        )}
      </Show>
      <ul>
        <For each={list().slice()}>{(task) => <TaskRow task={task} />}</For>
      </ul>
      <button type="button" disabled={page() === 1} onClick={() => show(page() - 1)}>
        Previous
      </button>{' '}
      Page {page()}{' '}
      <button
        type="button"
        disabled={page() * tasks.pageSize >= (status().total ?? 0)}
        onClick={() => show(page() + 1)}
      >
        Next
      </button>
    </>
  );
}
