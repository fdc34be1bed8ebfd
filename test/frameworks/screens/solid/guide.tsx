import { useForm, useSuspenseList } from 'repose/solid';
import { ErrorBoundary, For, Suspense } from 'solid-js';
import { type Task, tasks } from '../tasks.js';

// The parts of the guide beside its screen.

export function TaskForm(props: { task: Task }) {
  const form = useForm(() => props.task, { autosave: 500 });
  const title = form.field('title');
  return (
    <form onSubmit={form.submit}>
      <input {...form.input('title')} />
      <For each={title().errors}>{(issue) => <em>{issue.message}</em>}</For>
      <button type="submit" disabled={form.state().saving}>
        Save
      </button>
      <output>{title().errors.length > 0 ? '' : form.state().error?.userMessage}</output>
    </form>
  );
}

function Titles() {
  const list = useSuspenseList(tasks);
  return (
    <ul>
      <For each={list().slice()}>{(task) => <li>{task.title}</li>}</For>
    </ul>
  );
}

export function Page() {
  return (
    <ErrorBoundary
      fallback={(error, reset) => (
        <p>
          {error.userMessage}{' '}
          <button type="button" onClick={reset}>
            Try again
          </button>
        </p>
      )}
    >
      <Suspense fallback={<p>Loading</p>}>
        <Titles />
      </Suspense>
    </ErrorBoundary>
  );
}
