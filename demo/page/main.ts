import { Store } from 'repose';
import { Task as BaseTask } from '../models.js';
import { WatchedProxy } from '../watched-proxy.js';
import { Controls } from './controls.js';
import { el } from './dom.js';
import { Requests } from './requests.js';
import { Table } from './table.js';

/** The page: a store, its table, and the list of its requests. */
class App {
  private readonly requests = new Requests();
  private readonly Task = BaseTask.with({
    proxy: { type: WatchedProxy, watch: (exchange) => this.requests.add(exchange) },
  });
  private readonly store = new Store({
    model: this.Task,
    pageSize: 20,
    remoteSort: true,
    remoteFilter: true,
    sorters: [{ property: 'id', direction: 'ASC' }],
  });
  private readonly saving = new Set<BaseTask>();
  private readonly opening: WeakMap<BaseTask, Promise<unknown>> = new WeakMap();
  private readonly message = el('p', { role: 'status', class: 'message' });
  private readonly controls = new Controls(this.store, this.actions());
  private readonly table = new Table(this.store, this.actions());
  private scheduled = false;

  start(root: HTMLElement): void {
    const { store, controls } = this;
    const tasks = el(
      'section',
      { class: 'tasks', 'aria-label': 'Tasks' },
      controls.toolbar,
      this.message,
      this.table.element,
      controls.pager,
    );
    root.replaceChildren(tasks, this.requests.element);
    store.on('change', () => this.refresh());
    store.on('load', () => this.say(''));
    store.on('exception', ({ error, operation }) => {
      if (operation.action !== 'read') return;
      this.say(error.message, () => store.reload());
      this.refresh();
    });
    addEventListener('beforeunload', (event) => {
      if (this.pending().length) event.preventDefault();
    });
    addEventListener('keydown', (event) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void this.saveAll();
    });
    this.run(() => store.load());
  }

  private actions() {
    return {
      add: () => this.add(),
      save: (task: BaseTask) => void this.save(task),
      saveAll: () => void this.saveAll(),
      undo: (task: BaseTask) => this.undo(task),
      discard: () => this.run(() => this.store.rejectChanges()),
      remove: (task: BaseTask) => this.remove(task),
      open: (task: BaseTask) => this.open(task),
      resolve: (task: BaseTask, how: () => void | Promise<void>) => void this.whileSaving([task], how),
      refresh: () => this.refresh(),
      run: (action: () => unknown) => this.run(action),
    };
  }

  private add(): void {
    const [task] = this.store.insert(0, { title: '' });
    this.show();
    if (task) this.table.focus(task);
  }

  private remove(task: BaseTask): void {
    const next = this.table.neighbour(task);
    this.store.remove(task);
    this.show();
    if (next) this.table.focusRemove(next);
  }

  private undo(task: BaseTask): void {
    if (task.phantom) this.remove(task);
    else this.run(() => task.reject());
  }

  /** Lists have no ETags: a record is read by itself when somebody begins to edit it. Read again, it is answered 304. */
  private open(task: BaseTask): void {
    if (task.phantom || task.dirty || task.erased || this.saving.has(task)) return;
    // A failure changes nothing: the save is then sent without a condition.
    this.opening.set(
      task,
      task.load().catch(() => undefined),
    );
  }

  private async save(task: BaseTask): Promise<void> {
    await this.whileSaving([task], async () => {
      await this.opening.get(task);
      await task.save();
    });
  }

  private async saveAll(): Promise<void> {
    if (this.pending().length === 0) return;
    const pending = this.pending();
    await this.whileSaving(pending, async () => {
      await Promise.all(pending.map((task) => this.opening.get(task)));
      const { outcomes, failures } = await this.store.sync();
      const failed = failures.length ? `, ${failures.length} not: see their rows` : '';
      this.say(`${outcomes.length - failures.length} written${failed}`);
    });
  }

  private async whileSaving(tasks: readonly BaseTask[], run: () => unknown): Promise<void> {
    for (const task of tasks) this.saving.add(task);
    this.refresh();
    try {
      await run();
    } catch {
      // The record keeps its error, and its table row shows it.
    } finally {
      for (const task of tasks) this.saving.delete(task);
      this.refresh();
    }
  }

  private pending(): BaseTask[] {
    return [...this.store.getModifiedRecords(), ...this.store.getRemovedRecords()];
  }

  /** Runs a task that may start a load; the store reports a failed load by `exception`. */
  private run(action: () => unknown): void {
    Promise.resolve(action()).catch(() => undefined);
    // The store begins a scheduled load at the end of the tick.
    setTimeout(() => this.show());
  }

  private say(text: string, retry?: () => Promise<unknown>): void {
    const again = retry && el('button', { type: 'button', onclick: () => this.run(retry) }, 'Try again');
    this.message.replaceChildren(text, ...(again ? [' ', again] : []));
    this.message.classList.toggle('error', retry !== undefined);
  }

  private refresh(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => this.show());
  }

  /** Shows the unsaved records of other pages first, then the current page. */
  private show(): void {
    this.scheduled = false;
    const elsewhere = this.store.getModifiedRecords().filter((task) => this.store.indexOf(task) < 0);
    this.table.update([...elsewhere, ...this.store], this.saving);
    this.controls.update(this.saving.size > 0);
  }
}

const root = document.getElementById('app');
if (root) new App().start(root);
