import { memo } from 'react';
import { useField, useList, useRecord, useStatus } from 'repose/react';
import { activityOf, stateOf, type Task, tasks } from '../tasks.js';
import { useCounted } from './use-counted.js';

void tasks.load().catch(() => undefined);

const Cell = memo(({ task }: { task: Task }) => {
  useCounted('cell');
  const { value, errors } = useField(task, 'title');
  return (
    <>
      <input
        aria-label={`Title ${task.id}`}
        value={value}
        onChange={(event) => task.set('title', event.target.value)}
      />
      {errors.map((issue) => (
        <em key={issue.message}>{issue.message}</em>
      ))}
    </>
  );
});

const State = memo(({ task }: { task: Task }) => {
  const state = useRecord(task);
  return <span data-testid={`state-${task.id}`}>{stateOf(state)}</span>;
});

const Row = memo(({ task }: { task: Task }) => {
  useCounted('row');
  return (
    <li>
      <Cell task={task} />
      <State task={task} />
    </li>
  );
});

function Activity() {
  const status = useStatus(tasks);
  return <p role="status">{activityOf(status)}</p>;
}

function Grid() {
  useCounted('grid');
  const list = useList(tasks);
  return (
    <ul>
      {list.slice().map((task) => (
        <Row key={task.$.key} task={task} />
      ))}
    </ul>
  );
}

/** All tasks, with an input each. */
export default function Tasks() {
  return (
    <>
      <Activity />
      <Grid />
    </>
  );
}
