import { For } from 'solid-js';
import { createStore } from 'solid-js/store';
import { counted } from '../renders.js';
import { makeRows, type Row } from '../rows.js';

function Cell(props: { row: Row }) {
  return (
    <input
      aria-label={`Title ${props.row.id}`}
      value={counted('cell', props.row.title)}
      onInput={(event) => window.edit(props.row.id, event.currentTarget.value)}
    />
  );
}

function GridRow(props: { row: Row }) {
  return (
    <li data-id={counted('row', props.row.id)}>
      <Cell row={props.row} />
    </li>
  );
}

/** 200 rows with an input each. */
export default function Smoke() {
  const [rows, setRows] = createStore(makeRows());
  window.edit = (id, title) => setRows(id - 1, 'title', title);
  return (
    <ul data-count={counted('grid', rows.length)}>
      <For each={rows}>{(row) => <GridRow row={row} />}</For>
    </ul>
  );
}
