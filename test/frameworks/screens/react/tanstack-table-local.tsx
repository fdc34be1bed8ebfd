import { createAtom } from '@tanstack/react-store';
import {
  columnFilteringFeature,
  createPaginatedRowModel,
  globalFilteringFeature,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { memo, useSyncExternalStore } from 'react';
import { Model, Store } from 'repose';
import { useField } from 'repose/react';
import { tableSource } from 'repose/tanstack-table';
import { useCounted } from './use-counted.js';

class Task extends Model.define({ fields: { id: 'int', title: 'string' } }) {}

const data = Array.from({ length: 200 }, (_, index) => ({ id: index + 1, title: `Task ${index + 1}` }));
const tasks = new Store({ model: Task, pageSize: 0, data });
const source = tableSource(tasks, createAtom, { pageSize: 200 });
Object.assign(window, { tasks });

const features = tableFeatures({
  columnFilteringFeature,
  globalFilteringFeature,
  rowPaginationFeature,
  rowSortingFeature,
  paginatedRowModel: createPaginatedRowModel(),
});

const Title = memo(({ task }: { task: Task }) => {
  useCounted('cell');
  return <td>{useField(task, 'title').value}</td>;
});

const TaskRow = memo(({ task }: { task: Task }) => {
  useCounted('row');
  return (
    <tr>
      <Title task={task} />
    </tr>
  );
});

/** All records of a store that pages nothing: the table pages them. */
export default function Tasks() {
  useCounted('grid');
  const options = useSyncExternalStore(source.subscribe, source.get, source.get);
  const table = useTable({ features, columns: [{ accessorKey: 'title' }], ...options });
  return (
    <>
      <p role="status">{JSON.stringify({ ...table.state, pages: table.getPageCount() })}</p>
      <button type="button" onClick={() => table.setSorting([{ id: 'title', desc: true }])}>
        Sort
      </button>
      <button type="button" onClick={() => table.setGlobalFilter('task 1')}>
        Search
      </button>
      <button type="button" onClick={() => table.setPageSize(20)}>
        Shorten
      </button>
      <button type="button" onClick={() => table.lastPage()}>
        Last
      </button>
      <table>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <TaskRow key={row.id} task={row.original} />
          ))}
        </tbody>
      </table>
    </>
  );
}
