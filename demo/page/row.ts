import type { ConflictError, Issue } from 'repose';
import type { Task } from '../models.js';
import { type Column, columns, readInput, writeInput } from './columns.js';
import { el, setDisabled } from './dom.js';

/** Functions of the table that a row calls. */
export interface RowActions {
  save(task: Task): void;
  remove(task: Task): void;
  undo(task: Task): void;
  /** Reads a task that somebody begins to edit, so that its ETag is known when it is saved. */
  open(task: Task): void;
  /** Ends a conflict. */
  resolve(task: Task, how: () => void | Promise<void>): void;
  refresh(): void;
}

/** State of a row that its record does not know. */
export interface RowStatus {
  readonly saving: boolean;
  /** Whether the record is not on the current page, and only shown because it is not saved. */
  readonly elsewhere: boolean;
}

interface Cell {
  readonly column: Column;
  readonly cell: HTMLElement;
  readonly input: HTMLInputElement;
  readonly message: HTMLElement;
}

/** A table row with the inputs of one record. */
export class Row {
  readonly element: HTMLTableRowElement = el('tr');
  readonly removeButton: HTMLButtonElement;
  private readonly id: HTMLElement = el('th', { scope: 'row', class: 'id' });
  private readonly state: HTMLElement = el('td', { class: 'state' });
  private readonly texts: HTMLElement = el('span');
  private readonly conflict: HTMLElement;
  private readonly cells: readonly Cell[];
  private readonly saveButton: HTMLButtonElement;
  private readonly undoButton: HTMLButtonElement;
  /** Fields that had the focus: only their errors are shown, so that a new record does not begin with errors. */
  private readonly visited = new Set<Column['name']>();

  constructor(
    readonly task: Task,
    private readonly actions: RowActions,
  ) {
    this.cells = columns.map((column) => this.createCell(column));
    this.conflict = this.createConflict();
    this.state.append(this.texts);
    this.saveButton = el('button', { type: 'button', onclick: () => actions.save(task) }, 'Save');
    this.undoButton = el('button', { type: 'button', onclick: () => actions.undo(task) }, 'Undo');
    this.removeButton = el('button', { type: 'button', onclick: () => actions.remove(task) }, 'Remove');
    const buttons = el('td', { class: 'buttons' }, this.saveButton, this.undoButton, this.removeButton);
    this.element.append(this.id, ...this.cells.map(({ cell }) => cell), this.state, buttons);
  }

  /** Puts the cursor into the first field. */
  focus(): void {
    this.cells[0]?.input.focus();
  }

  /** Shows the current state of the record. */
  update({ saving, elsewhere }: RowStatus): void {
    const { task } = this;
    const name = task.phantom ? 'the new task' : `task ${task.id}`;
    const errors: Readonly<Record<string, readonly Issue[] | undefined>> = task.$.errors;
    const quiet = (column: Column) => task.phantom && !task.$.error && !this.visited.has(column.name);
    for (const cell of this.cells)
      this.updateCell(cell, name, quiet(cell.column) ? [] : (errors[cell.column.name] ?? []));
    const mark = task.phantom ? 'new' : task.dirty ? 'edited' : '';
    const { error } = task.$;
    const failed = error !== undefined || this.cells.some(({ message }) => message.textContent !== '');
    this.id.textContent = task.phantom ? '–' : String(task.id);
    this.element.className = [mark, failed && 'failed', elsewhere && 'elsewhere'].filter(Boolean).join(' ');
    this.element.setAttribute('aria-busy', String(saving));
    this.texts.replaceChildren(...this.stateTexts(mark, { saving, elsewhere }));
    this.updateConflict(error?.code === 'conflict' && !saving);
    for (const each of [this.saveButton, this.undoButton])
      setDisabled(each, saving || mark === '', this.cells[0]?.input);
    this.saveButton.ariaLabel = `Save ${name}`;
    this.undoButton.ariaLabel = `Undo the edits of ${name}`;
    this.removeButton.ariaLabel = `Remove ${name}`;
  }

  private stateTexts(mark: string, { saving, elsewhere }: RowStatus): Node[] {
    const { error } = this.task.$;
    const texts = [saving ? 'saving …' : mark, elsewhere && !this.task.phantom ? 'other page' : ''].filter(Boolean);
    const failure = error && !saving ? [el('span', { class: 'error' }, 'not saved')] : [];
    // Errors that a field already shows are left out.
    if (error && error.code !== 'validation') failure.push(el('span', { class: 'error' }, error.message));
    return [el('span', { class: 'mark' }, texts.join(', ')), ...failure];
  }

  /** A button that is replaced while it is pressed would get no click: the buttons stay in place while the conflict lasts. */
  private updateConflict(shown: boolean): void {
    const { conflict, state } = this;
    if (shown && conflict.parentNode !== state) state.append(conflict);
    else if (!shown) conflict.remove();
  }

  private createConflict(): HTMLElement {
    const button = (text: string, end: (error: ConflictError) => void | Promise<void>) => {
      const onclick = () => {
        const { error } = this.task.$;
        if (error?.code === 'conflict') this.actions.resolve(this.task, () => end(error));
      };
      return el('button', { type: 'button', onclick }, text);
    };
    return el(
      'span',
      { class: 'conflict', role: 'group', 'aria-label': `Conflict of task ${this.task.id}` },
      button('Merge', (error) => error.merge()),
      button('Keep mine', (error) => error.keepMine()),
      button('Take theirs', (error) => error.takeTheirs()),
    );
  }

  private createCell(column: Column): Cell {
    const { name, type, step } = column;
    const input = el('input', {
      type,
      step,
      onfocus: () => this.actions.open(this.task),
      oninput: () => this.task.set({ [name]: readInput(input) }),
      onblur: () => {
        this.visited.add(name);
        this.actions.refresh();
      },
      onkeydown: (event) => this.key(event as KeyboardEvent, column),
    });
    const message = el('span', { class: 'error' });
    return { column, input, message, cell: el('td', { class: name }, input, message) };
  }

  private updateCell({ column, cell, input, message }: Cell, name: string, issues: readonly Issue[]): void {
    writeInput(input, this.task.get(column.name));
    input.ariaLabel = `${column.label} of ${name}`;
    cell.classList.toggle('empty', input.value === '');
    cell.classList.toggle('edited', !this.task.phantom && Object.hasOwn(this.task.$.modified, column.name));
    message.textContent = issues.map((issue) => issue.message).join('; ');
    message.id = `${column.name}-${this.task.$.key}`;
    if (issues.length === 0) {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
    } else {
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', message.id);
    }
  }

  private key({ key }: KeyboardEvent, { name }: Column): void {
    const { previousValues } = this.task.$;
    if (key === 'Enter' && !this.saveButton.disabled) this.actions.save(this.task);
    if (key === 'Escape' && Object.hasOwn(previousValues, name)) this.task.set({ [name]: previousValues[name] });
  }
}
