import { useSuspenseList } from 'repose/solid';
import { createSignal, ErrorBoundary, For, Show, Suspense } from 'solid-js';
import { tasks } from '../tasks.js';

function List() {
  const list = useSuspenseList(tasks);
  return (
    <ul>
      <For each={list().slice()}>{({ title }) => <li>{title}</li>}</For>
    </ul>
  );
}

/** A list that suspends until it is loaded, and a second one that is shown later. */
export default function SuspenseScreen() {
  const [count, setCount] = createSignal(1);
  window.swap = () => setCount(2);
  return (
    <ErrorBoundary
      fallback={(error: { code: string }, reset) => (
        <button type="button" onClick={reset}>{`Retry after ${error.code}`}</button>
      )}
    >
      <Suspense fallback={<p role="status">waiting</p>}>
        <List />
        <Show when={count() > 1}>
          <List />
        </Show>
      </Suspense>
    </ErrorBoundary>
  );
}
