import { memo, useCallback, useSyncExternalStore } from 'react';
import { makeRows, type Row } from '../rows.js';
import { useCounted } from './use-counted.js';

const rows = makeRows();
const listeners = new Map<number, () => void>();

window.edit = (id, title) => {
  const row = rows[id - 1];
  if (row) row.title = title;
  listeners.get(id)?.();
};

const Cell = memo(({ row }: { row: Row }) => {
  useCounted('cell');
  const subscribe = useCallback(
    (listener: () => void) => {
      listeners.set(row.id, listener);
      return () => listeners.delete(row.id);
    },
    [row],
  );
  const title = useSyncExternalStore(subscribe, () => row.title);
  return (
    <input aria-label={`Title ${row.id}`} value={title} onChange={(event) => window.edit(row.id, event.target.value)} />
  );
});

const GridRow = memo(({ row }: { row: Row }) => {
  useCounted('row');
  return (
    <li>
      <Cell row={row} />
    </li>
  );
});

/** 200 rows with an input each. */
export default function Smoke() {
  useCounted('grid');
  return (
    <ul>
      {rows.map((row) => (
        <GridRow key={row.id} row={row} />
      ))}
    </ul>
  );
}
