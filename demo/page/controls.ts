import type { FilterConfig, Store } from 'repose';
import type { Task } from '../models.js';
import { el, setDisabled } from './dom.js';

/** Milliseconds without a key press after which a text counts as typed. */
const PAUSE = 250;

/** Functions of the page that the controls call. */
export interface ControlActions {
  add(): void;
  saveAll(): void;
  discard(): void;
  /** Runs a task that may fail; the page shows the failure. */
  run(action: () => unknown): void;
}

/** The controls: filters, buttons and page numbers. */
export class Controls {
  readonly toolbar: HTMLElement;
  readonly pager: HTMLElement;
  private readonly search: HTMLInputElement;
  private readonly open: HTMLSelectElement;
  private readonly pending: HTMLElement = el('span', { class: 'pending' });
  private readonly saveButton: HTMLButtonElement;
  private readonly discardButton: HTMLButtonElement;
  private readonly place: HTMLElement = el('span', { role: 'status' });
  private readonly backward: readonly HTMLButtonElement[];
  private readonly forward: readonly HTMLButtonElement[];
  private timer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(
    private readonly store: Store<Task>,
    private readonly actions: ControlActions,
  ) {
    const filter = () => this.filter();
    const later = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(filter, PAUSE);
    };
    this.search = el('input', { type: 'search', placeholder: 'any part of it', oninput: later });
    this.open = el(
      'select',
      { onchange: filter },
      ...['all', 'open', 'done'].map((value) => el('option', { value }, value)),
    );
    this.saveButton = button('Save all', actions.saveAll, 'primary');
    this.discardButton = button('Discard', actions.discard);
    this.toolbar = el(
      'div',
      { class: 'toolbar', role: 'group', 'aria-label': 'Tools' },
      el('label', {}, 'Title ', this.search),
      el('label', {}, 'Show ', this.open),
      button('Add a task', actions.add),
      el('span', { class: 'gap' }),
      this.pending,
      this.discardButton,
      this.saveButton,
    );
    const to = (page: () => number) => () => actions.run(() => store.loadPage(page()));
    this.backward = [
      button(
        'First',
        to(() => 1),
      ),
      button(
        'Previous',
        to(() => store.currentPage - 1),
      ),
    ];
    this.forward = [
      button(
        'Next',
        to(() => store.currentPage + 1),
      ),
      button(
        'Last',
        to(() => this.lastPage),
      ),
    ];
    this.pager = el('nav', { 'aria-label': 'Pages' }, ...this.backward, this.place, ...this.forward);
  }

  /** Shows the state of the store. */
  update(busy: boolean): void {
    const { store, lastPage } = this;
    const waiting = [
      count(store.getNewRecords().length, 'new'),
      count(store.getUpdatedRecords().length, 'edited'),
      count(store.getRemovedRecords().length, 'removed'),
    ].filter(Boolean);
    this.pending.textContent = waiting.length ? `Not saved: ${waiting.join(', ')}` : '';
    for (const each of [this.saveButton, this.discardButton])
      setDisabled(each, busy || waiting.length === 0, this.search);
    for (const each of [...this.backward, ...this.forward]) each.disabled = false;
    for (const each of this.backward) setDisabled(each, store.currentPage <= 1, this.forward[0]);
    for (const each of this.forward) setDisabled(each, store.currentPage >= lastPage, this.backward[1]);
    const total = store.totalCount?.toLocaleString('en') ?? '?';
    this.place.textContent = store.loaded ? `Page ${store.currentPage} of ${lastPage} · ${total} tasks` : '';
  }

  private get lastPage(): number {
    return Math.max(1, Math.ceil((this.store.totalCount ?? 0) / this.store.pageSize));
  }

  private filter(): void {
    clearTimeout(this.timer);
    const text = this.search.value.trim();
    const filters: FilterConfig<Task>[] = [];
    if (text) filters.push({ property: 'title', operator: 'like', value: text });
    if (this.open.value !== 'all') filters.push({ property: 'done', value: this.open.value === 'done' });
    this.actions.run(() => this.store.filter(filters));
  }
}

function button(text: string, onclick: () => void, name?: string): HTMLButtonElement {
  return el('button', { type: 'button', class: name, onclick }, text);
}

function count(number: number, what: string): string {
  return number ? `${number} ${what}` : '';
}
