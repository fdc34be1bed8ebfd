import { useEffect, useState } from 'react';
import { useForm } from 'repose/react';
import { loose, Task } from '../tasks.js';

const other = Task.fromRow({ id: 901, title: 'Other', due: '2026-12-24T00:00:00Z' }) as Task;

function Inputs({ task }: { task: Task }) {
  // So late that only the end of the component can send it within a test.
  const { input, values, errors, valid, saving, error, dirty, submit, reject } = useForm(task, { autosave: 3_600_000 });
  return (
    <form onSubmit={submit}>
      <input aria-label="Title" {...input('title')} />
      {errors.title?.map((issue) => (
        <em key={issue.message}>{issue.message}</em>
      ))}
      <button type="submit">Save</button>
      <button type="button" onClick={reject}>
        Reset
      </button>
      <output>{saving ? 'saving' : (error?.code ?? (dirty ? 'edited' : 'saved'))}</output>
      <p role="note">{`${values.title}, ${valid ? 'valid' : 'wrong'}, ${errors.title?.length ?? 0}`}</p>
    </form>
  );
}

/** The form of a record that can be exchanged and taken away. */
export default function Form() {
  const [task, setTask] = useState(loose);
  const [isShown, setShown] = useState(true);
  useEffect(() => {
    window.swap = () => setTask(other);
    window.leave = () => setShown(false);
  }, []);
  return isShown ? <Inputs task={task} /> : null;
}
