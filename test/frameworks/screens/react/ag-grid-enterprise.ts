// Compiled only: these row models belong to AG Grid Enterprise, which needs a licence to run.
import { createGrid, type GridOptions } from 'ag-grid-community';
import { Model, Store, viewOf } from 'repose';
import { getRowId, serverSideDatasource, showRecords, viewportDatasource } from 'repose/ag-grid';

class Task extends Model.define({ fields: { id: 'int', title: 'string' } }) {}
const tasks = new Store({ model: Task, remoteSort: true, remoteFilter: true });

export const serverSide: GridOptions<Task> = {
  rowModelType: 'serverSide',
  serverSideDatasource: serverSideDatasource(tasks),
  getRowId,
};

export const viewport: GridOptions<Task> = {
  rowModelType: 'viewport',
  viewportDatasource: viewportDatasource(tasks),
  getRowId,
};

export function clientSide(element: HTMLElement): () => void {
  const api = createGrid<Task>(element, { columnDefs: [{ field: 'title' }], getRowId });
  return showRecords(api, viewOf(tasks));
}
