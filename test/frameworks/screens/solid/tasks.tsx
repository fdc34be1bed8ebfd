import { useField, useList, useRecord, useStatus } from 'repose/solid';
import { For } from 'solid-js';
import { counted } from '../renders.js';
import { activityOf, stateOf, type Task, tasks } from '../tasks.js';

void tasks.load().catch(() => undefined);

function Cell(props: { task: Task }) {
  const title = useField(() => props.task, 'title');
  return (
    <>
      <input
        aria-label={`Title ${props.task.id}`}
        value={counted('cell', title().value)}
        onInput={(event) => props.task.set('title', event.currentTarget.value)}
      />
      <For each={title().errors}>{(issue) => <em>{issue.message}</em>}</For>
    </>
  );
}

function State(props: { task: Task }) {
  const state = useRecord(() => props.task);
  return <span data-testid={`state-${props.task.id}`}>{stateOf(state())}</span>;
}

function Row(props: { task: Task }) {
  return (
    <li data-id={counted('row', props.task.id)}>
      <Cell task={props.task} />
      <State task={props.task} />
    </li>
  );
}

function Activity() {
  const status = useStatus(tasks);
  return <p role="status">{activityOf(status())}</p>;
}

/** All tasks, with an input each. */
export default function Tasks() {
  const list = useList(tasks);
  return (
    <>
      <Activity />
      <ul data-count={counted('grid', list().count)}>
        <For each={list().slice()}>{(task) => <Row task={task} />}</For>
      </ul>
    </>
  );
}
