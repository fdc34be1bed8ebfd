import { Store } from 'repose';
import { useSuspenseList } from 'repose/solid';
import { ErrorBoundary, Suspense } from 'solid-js';
import { Task } from '../tasks.js';

const tasks = new Store({ model: Task, canLoad: () => false });

function Count() {
  const list = useSuspenseList(tasks);
  return <p>{list().count}</p>;
}

/** A list that may not be loaded. */
export default function SuspenseRefused() {
  return (
    <ErrorBoundary fallback={(error: { code: string }) => <button type="button">{`Retry after ${error.code}`}</button>}>
      <Suspense fallback={<p role="status">waiting</p>}>
        <Count />
      </Suspense>
    </ErrorBoundary>
  );
}
