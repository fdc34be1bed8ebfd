import type { SortName, Store } from 'repose';
import type { Task } from '../models.js';
import { columns } from './columns.js';
import { arrange, el } from './dom.js';
import { Row, type RowActions } from './row.js';

/** A table of records in the given order; a click on a header sorts. */
export class Table {
  readonly element: HTMLElement;
  private readonly table: HTMLTableElement;
  private readonly body: HTMLElement = el('tbody');
  private readonly headers: ReadonlyMap<string, HTMLElement>;
  private rows: Map<Task, Row> = new Map();

  constructor(
    private readonly store: Store<Task>,
    private readonly actions: RowActions & { run(action: () => unknown): void },
  ) {
    const sortable = [{ name: 'id', label: 'Id' } as const, ...columns];
    this.headers = new Map(sortable.map(({ name, label }) => [name, this.header(name, label)]));
    const head = el('tr', {}, ...this.headers.values(), el('th', { scope: 'col' }, 'State'), el('td'));
    this.table = el('table', { 'aria-label': 'Tasks' }, el('thead', {}, head), this.body);
    this.element = el('div', { class: 'scroll', tabindex: '-1' }, this.table);
  }

  /** Shows these records. Records that stay keep the elements of their rows. */
  update(tasks: readonly Task[], saving: ReadonlySet<Task>): void {
    this.rows = new Map(tasks.map((task) => [task, this.rows.get(task) ?? new Row(task, this.actions)]));
    for (const [task, row] of this.rows)
      row.update({ saving: saving.has(task), elsewhere: this.store.indexOf(task) < 0 });
    arrange(
      this.body,
      [...this.rows.values()].map((row) => row.element),
    );
    this.table.setAttribute('aria-busy', String(this.store.loading));
    const sorter = this.store.sorters[0];
    for (const [name, header] of this.headers) {
      const sorted = sorter?.property === name;
      header.ariaSort = sorted ? (sorter?.direction === 'DESC' ? 'descending' : 'ascending') : 'none';
    }
  }

  /** Puts the cursor into the row of a record. */
  focus(task: Task): void {
    this.rows.get(task)?.focus();
  }

  /** The record of the next or previous row. */
  neighbour(task: Task): Task | undefined {
    const all = [...this.rows.keys()];
    const at = all.indexOf(task);
    return all[at + 1] ?? all[at - 1];
  }

  /** Puts the focus on the button that removes a record. */
  focusRemove(task: Task): void {
    this.rows.get(task)?.removeButton.focus();
  }

  private header(name: SortName<Task>, label: string): HTMLElement {
    const sort = () => {
      const before = this.store.sorters[0];
      const descending = before?.property === name && before.direction === 'ASC';
      this.actions.run(() => this.store.sort(name, descending ? 'DESC' : 'ASC'));
    };
    return el('th', { scope: 'col', class: name }, el('button', { type: 'button', onclick: sort }, label));
  }
}
