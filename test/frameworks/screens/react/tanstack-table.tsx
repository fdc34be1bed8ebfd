import { createAtom } from '@tanstack/react-store';
import {
  type ColumnDef,
  columnFilteringFeature,
  FlexRender,
  globalFilteringFeature,
  type Row,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { memo, useSyncExternalStore } from 'react';
import { length, Model, Store } from 'repose';
import { useField, useRecord, useStore } from 'repose/react';
import { tableSource } from 'repose/tanstack-table';
import { useCounted } from './use-counted.js';

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [length({ min: 1 })] },
    priority: 'int',
  },
  proxy: { type: 'rest', url: '/api/tasks', reader: { rootProperty: 'data', totalProperty: 'total' } },
}) {}

const tasks = new Store({ model: Task, pageSize: 25, remoteSort: true, remoteFilter: true });
const source = tableSource(tasks, createAtom);
Object.assign(window, { tasks }); // for tests

const features = tableFeatures({
  columnFilteringFeature,
  globalFilteringFeature,
  rowPaginationFeature,
  rowSortingFeature,
});
type Features = typeof features;

const columns: ColumnDef<Features, Task>[] = [
  { accessorKey: 'title', header: 'Title', cell: ({ row }) => <Title task={row.original} /> },
  { accessorKey: 'priority', header: 'Priority', cell: ({ row }) => <Priority task={row.original} /> },
];

const Title = memo(({ task }: { task: Task }) => {
  useCounted('cell');
  const { value, errors } = useField(task, 'title');
  return (
    <>
      <input aria-label="Title" value={value} onChange={(event) => task.set('title', event.target.value)} />
      {errors.map((issue) => (
        <em key={issue.message}>{issue.message}</em>
      ))}
    </>
  );
});

const Priority = memo(({ task }: { task: Task }) => {
  useCounted('cell');
  return useField(task, 'priority').value;
});

const Actions = memo(({ task }: { task: Task }) => {
  const { dirty, phantom, saving, errors, error, save } = useRecord(task);
  return (
    <>
      <button type="button" disabled={saving || !(dirty || phantom)} onClick={save}>
        Save
      </button>
      <button type="button" disabled={saving} onClick={() => tasks.remove(task)}>
        Remove
      </button>
      {saving ? 'saving …' : errors.title ? null : error?.userMessage}
    </>
  );
});

const TaskRow = memo(({ row }: { row: Row<Features, Task> }) => {
  useCounted('row');
  return (
    <tr>
      {row.getAllCells().map((cell) => (
        <td key={cell.id}>
          <FlexRender cell={cell} />
        </td>
      ))}
      <td>
        <Actions task={row.original} />
      </td>
    </tr>
  );
});

export default function Tasks() {
  useCounted('grid');
  const options = useSyncExternalStore(source.subscribe, source.get, source.get);
  const table = useTable({ features, columns, ...options });
  const title = table.getColumn('title');
  return (
    <>
      <input
        placeholder="Filter titles"
        value={String(title?.getFilterValue() ?? '')}
        onChange={(event) => title?.setFilterValue(event.target.value)}
      />
      <input
        placeholder="Search everywhere"
        value={table.state.globalFilter}
        onChange={(event) => table.setGlobalFilter(event.target.value)}
      />
      <button type="button" onClick={() => tasks.insert(0, { title: 'New', priority: 1 })}>
        Add
      </button>
      <table>
        <thead>
          <tr>
            {table.getFlatHeaders().map((header) => (
              <th key={header.id}>
                <button type="button" onClick={header.column.getToggleSortingHandler()}>
                  <table.FlexRender header={header} />
                  {{ asc: ' ▲', desc: ' ▼' }[String(header.column.getIsSorted())]}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <TaskRow key={row.id} row={row} />
          ))}
        </tbody>
      </table>
      <button type="button" disabled={!table.getCanPreviousPage()} onClick={() => table.previousPage()}>
        Back
      </button>
      Page {table.state.pagination.pageIndex + 1} of {table.getPageCount()}
      <button type="button" disabled={!table.getCanNextPage()} onClick={() => table.nextPage()}>
        Next
      </button>
      <Status />
    </>
  );
}

function Status() {
  const { loading, saving, pending, error } = useStore(tasks);
  return (
    <p role="status">
      {loading ? 'loading' : saving ? 'saving' : (error?.userMessage ?? `${pending} unsaved`)}
      <button type="button" disabled={pending === 0} onClick={() => tasks.sync()}>
        Save all
      </button>
    </p>
  );
}
