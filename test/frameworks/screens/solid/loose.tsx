import { viewOf } from 'repose';
import { useField, useList, useRecord } from 'repose/solid';
import { createSignal, For, Show } from 'solid-js';
import { counted } from '../renders.js';
import { loose, stateOf, Task, tasks } from '../tasks.js';

const other = Task.fromRow({ id: 901, title: 'Other', due: '2026-12-24T00:00:00Z' });
const view = viewOf(tasks, { filters: [{ property: 'id', operator: 'gt', value: 1 }] });

function Form(props: { task: Task }) {
  const title = useField(() => props.task, 'title');
  const due = useField(() => props.task, 'due');
  const state = useRecord(() => props.task);
  const dueDay = () => counted('cell', due().value?.toISOString().slice(0, 10));
  return (
    <form>
      <input
        aria-label="Title"
        value={title().value}
        onInput={(event) => props.task.set('title', event.currentTarget.value)}
      />
      <input
        aria-label="Due"
        type="date"
        value={dueDay()}
        onInput={(event) => props.task.set('due', event.currentTarget.valueAsDate as Date)}
      />
      <output>{`${stateOf(state())} ${state().values.title}`}</output>
    </form>
  );
}

/** A record that is in no store, and a list; both can be exchanged. */
export default function Loose() {
  const [task, setTask] = createSignal(loose);
  const [source, setSource] = createSignal<typeof tasks | typeof view>(tasks);
  const [shown, setShown] = createSignal(true);
  const list = useList(source);
  window.swap = () => {
    setTask(other);
    setSource(view);
  };
  window.leave = () => setShown(false);
  return (
    <Show when={shown()}>
      <Form task={task()} />
      <ul>
        <For each={list().slice()}>{({ title }) => <li>{title}</li>}</For>
      </ul>
    </Show>
  );
}
