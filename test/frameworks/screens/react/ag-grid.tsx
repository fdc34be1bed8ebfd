import { AllCommunityModule, type ColDef, type GridApi, ModuleRegistry } from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useRef } from 'react';
import { length, Model, Store, selectionOf } from 'repose';
import { getRowId, infiniteDatasource } from 'repose/ag-grid';
import { useSelection, useStatus } from 'repose/react';

ModuleRegistry.registerModules([AllCommunityModule]);

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [length({ min: 1 })] },
    priority: 'int',
  },
  proxy: { type: 'rest', url: '/api/tasks', reader: { rootProperty: 'data', totalProperty: 'total' } },
}) {}

const tasks = new Store({ model: Task, pageSize: 50, remoteSort: true, remoteFilter: true });
const datasource = infiniteDatasource(tasks);
Object.assign(window, { tasks, selection: selectionOf(tasks) }); // for tests

const columns: ColDef<Task>[] = [
  { field: 'id', width: 100 },
  {
    field: 'title',
    editable: true,
    filter: 'agTextColumnFilter',
    floatingFilter: true,
    cellClassRules: { dirty: ({ data }) => data?.dirty === true, wrong: ({ data }) => Boolean(data?.$.errors.title) },
  },
  { field: 'priority', editable: true, filter: 'agNumberColumnFilter' },
];

export default function Tasks() {
  const grid = useRef<GridApi<Task>>(null);
  const { loading, saving, pending, error } = useStatus(tasks);
  const { count } = useSelection(tasks);
  const save = async () => {
    const batch = await tasks.sync();
    if (batch.failures.length > 0) console.info(batch.failures);
    grid.current?.refreshCells({ force: true });
  };
  const add = async () => {
    await new Task({ title: 'New', priority: 1 }).save();
    await datasource.reload();
  };
  const remove = async () => {
    for await (const page of selectionOf(tasks).pages()) tasks.remove(...page);
  };
  return (
    <>
      <button type="button" onClick={add}>
        Add
      </button>
      <button type="button" disabled={count === 0} onClick={remove}>
        Remove selected
      </button>
      <button type="button" disabled={saving || pending === 0} onClick={save}>
        Save {pending}
      </button>
      <button type="button" onClick={() => tasks.reject()}>
        Undo
      </button>
      <p role="status">{loading ? 'loading' : saving ? 'saving' : error?.userMessage}</p>
      <div style={{ height: 500 }}>
        <AgGridReact
          rowModelType="infinite"
          datasource={datasource}
          getRowId={getRowId}
          columnDefs={columns}
          cacheBlockSize={50}
          rowSelection={{ mode: 'multiRow', headerCheckbox: false }}
          onGridReady={({ api }) => {
            grid.current = api;
            Object.assign(window, { api }); // for tests
          }}
        />
      </div>
    </>
  );
}
