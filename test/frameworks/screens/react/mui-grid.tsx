import { DataGrid, type GridColDef, GridUpdateRowError } from '@mui/x-data-grid';
import { useState } from 'react';
import { filterTemplates, isDataError, length, Model, plain, safeWrites } from 'repose';
import { gridDataSource, type PlainRow } from 'repose/mui-grid';

class Order extends Model.define({
  name: 'order',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [length({ min: 1, message: 'must not be empty' })] },
    total: 'int',
    open: 'boolean',
    due: 'date',
  },
  proxy: {
    type: 'rest',
    url: '/orders',
    baseUrl: `${location.origin}/api`,
    dialect: plain({
      filter: filterTemplates({ eq: '{name}={value}', like: '{name}_like={value}', ge: '{name}_gte={value}' }),
    }),
    use: [safeWrites()],
  },
}) {}

const source = gridDataSource(Order);

const columns: GridColDef<PlainRow<Order>>[] = [
  { field: 'id' },
  { field: 'title', editable: true, flex: 1 },
  { field: 'total', type: 'number', editable: true },
  { field: 'open', type: 'boolean' },
  { field: 'due', type: 'date' },
];

export default function Orders() {
  const [problem, setProblem] = useState<string>();
  // Names the fields that are wrong, after an edit that was refused.
  const show = (error: Error) => {
    const { cause } = error;
    const issues = isDataError(cause) && cause.code === 'validation' ? cause.issues : [];
    const texts = issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    setProblem(texts.join(', ') || (isDataError(cause) ? cause.userMessage : error.message));
    if (!(error instanceof GridUpdateRowError)) console.info(cause);
  };
  return (
    <>
      <div style={{ height: 500 }}>
        <DataGrid
          dataSource={source}
          dataSourceCache={null}
          columns={columns}
          pagination
          pageSizeOptions={[5, 10]}
          initialState={{ pagination: { paginationModel: { pageSize: 5 } } }}
          onDataSourceError={show}
          showToolbar
        />
      </div>
      {problem && <p role="alert">{problem}</p>}
    </>
  );
}
