import { type FormEvent, memo, useState } from 'react';
import { conflicts, Model, plain, presence, Store } from 'repose';
import { useField, useForm, useList, useRecord, useStore } from 'repose/react';

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [presence()] },
    done: 'boolean',
    due: { type: 'date', allowNull: true },
  },
  proxy: { type: 'rest', url: '/api/tasks', dialect: plain(), use: [conflicts()] },
}) {}

const tasks = new Store({
  ...{ model: Task, pageSize: 10, remoteSort: true, remoteFilter: true, sorters: ['title'] as const },
});

const TitleCell = memo(({ task }: { task: Task }) => {
  const { value, errors } = useField(task, 'title');
  return (
    <td>
      <input aria-label="Title" value={value} onChange={(event) => task.set('title', event.target.value)} />
      {errors.map((issue) => (
        <em key={issue.message}>{issue.message}</em>
      ))}
    </td>
  );
});

const DoneCell = memo(({ task }: { task: Task }) => {
  const { value } = useField(task, 'done');
  return (
    <td>
      <input
        aria-label="Done"
        type="checkbox"
        checked={value}
        onChange={(event) => task.set('done', event.target.checked)}
      />
    </td>
  );
});

const ActionsCell = memo(({ task }: { task: Task }) => {
  const { dirty, saving, errors, error, conflict, save, reject, erase, keepMine, takeTheirs } = useRecord(task);
  return (
    <td>
      <button type="button" disabled={saving || !dirty} onClick={save}>
        Save
      </button>
      <button type="button" disabled={saving || !dirty} onClick={reject}>
        Undo
      </button>
      <button type="button" disabled={saving} onClick={erase}>
        Remove
      </button>
      {saving && (
        <button type="button" onClick={() => task.$.abort()}>
          Stop saving
        </button>
      )}
      {conflict && (
        <>
          <button type="button" onClick={keepMine}>
            Keep mine
          </button>
          <button type="button" onClick={takeTheirs}>
            Take theirs
          </button>
        </>
      )}
      {error && !errors.title && <strong title={error.code}>{error.userMessage}</strong>}
    </td>
  );
});

const TaskRow = memo(({ task }: { task: Task }) => (
  <tr>
    <TitleCell task={task} />
    <DoneCell task={task} />
    <ActionsCell task={task} />
  </tr>
));

function TaskTable() {
  const list = useList(tasks);
  return (
    <table>
      <tbody>
        {list.slice().map((task) => (
          <TaskRow key={task.$.key} task={task} />
        ))}
      </tbody>
    </table>
  );
}

function NewTask() {
  const [task, setTask] = useState(() => new Task());
  const { input, errors, error, saving, submit } = useForm(task);
  const add = async (event: FormEvent) => {
    if (!(await submit(event))) return;
    tasks.add(task);
    setTask(new Task());
  };
  return (
    <form noValidate onSubmit={add}>
      <input aria-label="New title" {...input('title')} />
      <input aria-label="New due" {...input('due')} />
      {errors.title?.map((issue) => (
        <em key={issue.message}>{issue.message}</em>
      ))}
      <button type="submit" disabled={saving}>
        Add
      </button>
      {error && !errors.title && <strong title={error.code}>{error.userMessage}</strong>}
    </form>
  );
}

function Activity() {
  const { loading, saving, pending, total = 0, error, retry, page, loadPage } = useStore(tasks);
  const pages = Math.max(Math.ceil(total / tasks.pageSize), 1);
  return (
    <footer>
      <button type="button" disabled={page === 1} onClick={() => loadPage(page - 1)}>
        Back
      </button>
      Page {page} of {pages}
      <button type="button" disabled={page >= pages} onClick={() => loadPage(page + 1)}>
        Next
      </button>
      <p role="status">
        {loading ? 'loading' : saving ? 'saving' : 'idle'}, {pending} to save
      </p>
      {error && (
        <p role="alert" title={error.code}>
          {error.userMessage}
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </footer>
  );
}

/** A list with sort, filter, pages and status, whose tasks are edited, added and removed. */
export default function Tasks() {
  const filter = (openOnly: boolean) => {
    if (openOnly) tasks.filter({ property: 'done', value: false });
    else tasks.filter([]);
  };
  return (
    <>
      <label>
        Sort by
        <select onChange={(event) => tasks.sort(event.target.value as 'title' | 'due')}>
          <option>title</option>
          <option>due</option>
        </select>
      </label>
      <label>
        <input type="checkbox" onChange={(event) => filter(event.target.checked)} />
        Open only
      </label>
      <TaskTable />
      <NewTask />
      <Activity />
    </>
  );
}
