import {
  keepPreviousData,
  QueryClient,
  QueryClientProvider,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useState } from 'react';

interface Task {
  id: number;
  title: string;
}

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(path, init);
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
  return response.json() as Promise<T>;
}

const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });

export default function App() {
  return (
    <QueryClientProvider client={client}>
      <Tasks />
    </QueryClientProvider>
  );
}

function Tasks() {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery({
    queryKey: ['tasks', { page }],
    queryFn: ({ signal }) => ask<Task[]>(`/api/tasks?page=${page}&limit=2&sort=title`, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      {error && (
        <p role="alert">
          {error.message}{' '}
          <button type="button" onClick={() => refetch()}>
            Try again
          </button>
        </p>
      )}
      <ul>
        {data?.map((task) => (
          <Row key={task.id} task={task} />
        ))}
      </ul>
      <button type="button" onClick={() => setPage(page + 1)}>
        Next
      </button>
    </>
  );
}

function Row({ task }: { task: Task }) {
  const queries = useQueryClient();
  const [title, setTitle] = useState(task.title);
  const save = useMutation({
    mutationFn: () =>
      ask(`/api/tasks/${task.id}`, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ title }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tasks'] }),
  });
  return (
    <li>
      <input aria-label="Title" value={title} onChange={(event) => setTitle(event.target.value)} />
      <button type="button" disabled={title === task.title || save.isPending} onClick={() => save.mutate()}>
        Save
      </button>
      {save.error?.message}
    </li>
  );
}
