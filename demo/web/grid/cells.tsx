import { type KeyboardEvent, memo, useId } from 'react';
import { useField, useRecord } from 'repose/react';
import { sentenceOf } from '../client/sentences.js';
import { type Order, STATUSES } from '../models.js';
import type { Column, ColumnName } from './columns.js';
import { formatValue } from './formats.js';

/** How an edit in a cell ended. */
export type EditEnd = 'stay' | 'down' | 'right' | 'left';

interface CellContent {
  readonly order: Order;
  readonly column: Column;
}

// #region cell
/** The content of a cell. It is rendered again only when its own field changes. */
export const CellText = memo(({ order, column }: CellContent) => {
  const { value, errors, dirty } = useField(order, column.name);
  const errorId = useId();
  const [error] = errors;
  return (
    <span className="cell-text" data-kind={column.kind} data-dirty={dirty} data-invalid={error !== undefined}>
      {column.kind === 'status' ? (
        <span className="status" data-status={value}>
          {String(value ?? '')}
        </span>
      ) : (
        formatValue(column.kind, value)
      )}
      {dirty && <span className="visually-hidden"> (edited)</span>}
      {error && (
        <span className="cell-error" id={errorId}>
          {sentence(error.message)}
        </span>
      )}
    </span>
  );
});
// #endregion

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The editor opens because somebody wants to type in it. */
export function focusAtOnce(input: HTMLElement | null): void {
  input?.focus();
}

interface Editor extends CellContent {
  /** The value when the editor was opened, for Escape. */
  readonly before: unknown;
  readonly onEnd: (end: EditEnd) => void;
}

// #region editor
/** Edits a field in its cell. What is typed is set on the record at once; Escape takes it back. */
export function CellEditor({ order, column, before, onEnd }: Editor) {
  const name = column.name as 'placed' | 'status' | 'note';
  const { value, errors } = useField(order, name);
  const errorId = useId();

  const set = (text: string) => order.set(name, text === '' && name !== 'status' ? null : (text as never));
  const onKeyDown = (event: KeyboardEvent) => {
    const end: EditEnd | undefined = { Enter: 'down', Tab: event.shiftKey ? 'left' : 'right', Escape: 'stay' }[
      event.key
    ] as EditEnd | undefined;
    // The keys that move in the grid move in the input here.
    event.stopPropagation();
    if (end === undefined) return;
    event.preventDefault();
    if (event.key === 'Escape') order.set(name, before as never);
    onEnd(end);
  };
  const shared = {
    ref: focusAtOnce,
    className: 'cell-input',
    'aria-label': `${column.label} of order ${order.phantom ? 'new' : order.id}`,
    'aria-invalid': errors.length > 0,
    'aria-describedby': errors.length > 0 ? errorId : undefined,
    onBlur: () => onEnd('stay'),
    onKeyDown,
  };
  return (
    <>
      {name === 'status' ? (
        <select {...shared} value={String(value)} onChange={(event) => set(event.target.value)}>
          {STATUSES.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          type={name === 'placed' ? 'date' : 'text'}
          value={String(value ?? '')}
          onChange={(event) => set(event.target.value)}
        />
      )}
      {errors[0] && (
        <span className="cell-error" id={errorId}>
          {sentence(errors[0].message)}
        </span>
      )}
    </>
  );
}
// #endregion

// #region state
/** The state of the record of a row: edited, being saved, refused, changed by somebody else. */
export function RowState({ order, onShow }: { readonly order: Order; readonly onShow: () => void }) {
  const { dirty, phantom, saving, queued, error, conflict, newer, reject, keepMine, takeTheirs } = useRecord(order);
  if (saving) return <span className="row-state">Saving</span>;
  if (conflict)
    return (
      <span className="row-state" data-tone="danger">
        <span title={error?.userMessage}>Conflict</span>
        <button type="button" tabIndex={-1} onClick={onShow}>
          Compare
        </button>
        <button type="button" tabIndex={-1} onClick={keepMine}>
          Mine
        </button>
        <button type="button" tabIndex={-1} onClick={takeTheirs}>
          Theirs
        </button>
      </span>
    );
  if (queued)
    return (
      <span className="row-state" data-tone="wait">
        In the outbox
      </span>
    );
  if (!dirty && !phantom && !error) return null;
  const label = error ? sentenceOf(error) : newer ? 'Others changed it' : phantom ? 'New' : 'Edited';
  return (
    <span className="row-state" data-tone={error ? 'danger' : 'edited'}>
      <span title={label} data-only-mark={label === 'Edited'}>
        {label}
      </span>
      <button type="button" tabIndex={-1} onClick={reject} aria-label={`Undo the edits of order ${order.id}`}>
        Undo
      </button>
    </span>
  );
}
// #endregion

/** Whether a column has an editor that opens; the others are changed in place or not at all. */
export function opensEditor(column: Column): boolean {
  return column.isEditable === true && column.kind !== 'boolean';
}

/** The fields that a cell can set. */
export type EditableName = Extract<ColumnName, 'placed' | 'status' | 'urgent' | 'note'>;
