import { Suspense } from 'react';
import { Store } from 'repose';
import { useSuspenseList } from 'repose/react';
import { Task } from '../tasks.js';

const asked: string[] = [];
let isAllowed = false;
const tasks = new Store({
  model: Task,
  canLoad: () => {
    asked.push('load');
    return isAllowed;
  },
});

function Count() {
  return <p title="Count">{useSuspenseList(tasks).count}</p>;
}

/** A list that may not be loaded before a click, which tells how often the store was asked. */
export default function SuspenseRefused() {
  const allow = (target: HTMLElement) => {
    target.textContent = `asked ${asked.length}`;
    isAllowed = true;
    void tasks.load();
  };
  return (
    <>
      <button type="button" onClick={({ currentTarget }) => allow(currentTarget)}>
        Allow
      </button>
      <Suspense fallback={<p role="status">waiting</p>}>
        <Count />
      </Suspense>
    </>
  );
}
