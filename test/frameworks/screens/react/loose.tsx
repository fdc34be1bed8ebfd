import { useEffect, useState } from 'react';
import { viewOf } from 'repose';
import { useField, useList, useRecord } from 'repose/react';
import { loose, stateOf, Task, tasks } from '../tasks.js';
import { useCounted } from './use-counted.js';

const other = Task.fromRow({ id: 901, title: 'Other', due: '2026-12-24T00:00:00Z' }) as Task;
const view = viewOf(tasks, { filters: [{ property: 'id', operator: 'gt', value: 1 }] });

function Title({ task }: { task: Task }) {
  const { value } = useField(task, 'title');
  return <input aria-label="Title" value={value} onChange={(event) => task.set('title', event.target.value)} />;
}

function Due({ task }: { task: Task }) {
  useCounted('cell');
  const { value } = useField(task, 'due');
  return (
    <input
      aria-label="Due"
      type="date"
      value={value?.toISOString().slice(0, 10)}
      onChange={(event) => task.set('due', event.target.valueAsDate as Date)}
    />
  );
}

function State({ task }: { task: Task }) {
  const state = useRecord(task);
  return <output>{`${stateOf(state)} ${state.values.title}`}</output>;
}

function Titles({ collection }: { collection: typeof tasks | typeof view }) {
  const list = useList(collection);
  return (
    <ul>
      {list.slice().map((task) => (
        <li key={task.$.key}>{task.title}</li>
      ))}
    </ul>
  );
}

/** A record that is in no store, and a list; both can be exchanged. */
export default function Loose() {
  const [task, setTask] = useState(loose);
  const [collection, setCollection] = useState<typeof tasks | typeof view>(tasks);
  const [isShown, setShown] = useState(true);
  useEffect(() => {
    window.swap = () => {
      setTask(other);
      setCollection(view);
    };
    window.leave = () => setShown(false);
  }, []);
  if (!isShown) return null;
  return (
    <>
      <Title task={task} />
      <Due task={task} />
      <State task={task} />
      <Titles collection={collection} />
    </>
  );
}
