import { AllCommunityModule, type ColDef, ModuleRegistry } from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useEffect, useRef } from 'react';
import { Model, Store } from 'repose';
import { getRowId, showRecords } from 'repose/ag-grid';

ModuleRegistry.registerModules([AllCommunityModule]);

class Task extends Model.define({ fields: { id: 'int', title: 'string' } }) {}

const data = Array.from({ length: 200 }, (_, index) => ({ id: index + 1, title: `Task ${index + 1}` }));
const tasks = new Store({ model: Task, pageSize: 0, data });
const columns: ColDef<Task>[] = [{ field: 'id' }, { field: 'title', editable: true }];
void import('repose').then((all) => Object.assign(window, { tasks, selection: all.selectionOf(tasks) })); // for tests

export default function Tasks() {
  const stop = useRef(() => undefined as void);
  useEffect(() => () => stop.current(), []);
  return (
    <div style={{ height: 500 }}>
      <AgGridReact
        columnDefs={columns}
        getRowId={getRowId}
        rowSelection={{ mode: 'multiRow' }}
        onGridReady={({ api }) => {
          stop.current = showRecords(api, tasks);
          Object.assign(window, { api }); // for tests
        }}
      />
    </div>
  );
}
