import { QueryClient, QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Model, Store } from 'repose';
import { useField, useList } from 'repose/react';
import { listQuery, recordQuery, saveMutation } from 'repose/tanstack-query';

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: { type: 'rest', url: '/api/tasks' },
}) {}

const tasks = new Store({ model: Task });
const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });

export default function App() {
  return (
    <QueryClientProvider client={client}>
      <Tasks />
    </QueryClientProvider>
  );
}

function Tasks() {
  const { isPending, error } = useQuery(listQuery(tasks));
  const [id, setId] = useState<number>();
  const list = useList(tasks);
  if (isPending) return <p role="status">loading</p>;
  if (error) return <p role="status">{error.message}</p>;
  return (
    <>
      {list.slice().map((task) => (
        <button type="button" key={task.$.key} onClick={() => setId(task.id)}>
          Open {task.id}
        </button>
      ))}
      {id !== undefined && <Detail id={id} />}
    </>
  );
}

function Detail({ id }: { id: number }) {
  const { data: task, error } = useQuery(recordQuery(Task, id, { store: tasks }));
  return task ? <Editor task={task} /> : <p role="status">{error?.message ?? 'loading'}</p>;
}

function Editor({ task }: { task: Task }) {
  const { value, dirty } = useField(task, 'title');
  const save = useMutation(saveMutation(task));
  return (
    <>
      <input aria-label="Title" value={value} onChange={(event) => task.set('title', event.target.value)} />
      <button type="button" disabled={!dirty || save.isPending} onClick={() => save.mutate()}>
        Save
      </button>
      <p role="status">{save.isPending ? 'saving' : (save.error?.message ?? (dirty ? 'edited' : 'saved'))}</p>
    </>
  );
}
