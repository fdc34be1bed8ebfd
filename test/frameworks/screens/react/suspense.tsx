import { Component, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useField, useStatus, useSuspenseList } from 'repose/react';
import { activityOf, type Task, tasks } from '../tasks.js';

interface BoundaryProps {
  readonly children: ReactNode;
  readonly onRetry: () => void;
}

class Boundary extends Component<BoundaryProps, { readonly error?: { readonly code: string } }> {
  override state: { readonly error?: { readonly code: string } } = {};

  static getDerivedStateFromError(error: { readonly code: string }) {
    return { error };
  }

  private readonly retry = () => {
    this.props.onRetry();
    this.setState({ error: undefined as never });
  };

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <button type="button" onClick={this.retry}>
        Retry after {error.code}
      </button>
    );
  }
}

function Title({ task }: { task: Task }) {
  return <li>{useField(task, 'title').value}</li>;
}

function Titles() {
  const list = useSuspenseList(tasks);
  return (
    <ul>
      {list.slice().map((task) => (
        <Title key={task.$.key} task={task} />
      ))}
    </ul>
  );
}

function Activity() {
  return <p title="Activity">{activityOf(useStatus(tasks))}</p>;
}

/** A list that waits for its first load, twice after `swap()`. */
export default function SuspenseScreen() {
  const [isTwice, setTwice] = useState(false);
  useEffect(() => {
    window.swap = () => setTwice(true);
  }, []);
  return (
    <>
      <Activity />
      <Boundary onRetry={() => void tasks.load().catch(() => undefined)}>
        <Suspense fallback={<p role="status">waiting</p>}>
          <Titles />
          {isTwice && <Titles />}
        </Suspense>
      </Boundary>
    </>
  );
}
