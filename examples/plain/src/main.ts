import { RecordForm, type Source } from 'repose';
import { type Task, tasks } from './tasks.js';

interface Row {
  readonly element: HTMLElement;
  /** Ends the subscriptions of the row. */
  readonly stop: () => void;
}

const list = document.createElement('ul');
const status = document.createElement('p');
status.role = 'status';
const add = button('Add', () => void tasks.add({ title: 'New task' }));
document.getElementById('root')?.append(add, list, status);

/** The rows that are shown. A row is made once, and moves with its record. */
const rows = new Map<Task, Row>();

follow(tasks.list, (shown) => {
  const records = shown.slice();
  for (const [task, { element, stop }] of rows) {
    if (records.includes(task)) continue;
    stop();
    element.remove();
    rows.delete(task);
  }
  for (const [index, task] of records.entries()) {
    const row = rows.get(task) ?? createRow(task);
    rows.set(task, row);
    // A row in its place stays there, and keeps its focus.
    if (list.children[index] !== row.element) list.insertBefore(row.element, list.children[index] ?? null);
  }
});

follow(tasks.status, ({ loading, error, pending }) => {
  status.textContent = error?.userMessage ?? (loading ? 'Loading' : `${pending} to save`);
});

function createRow(task: Task): Row {
  const element = document.createElement('li');
  const input = document.createElement('input');
  const note = document.createElement('output');
  const form = new RecordForm(task);
  const save = button('Save', form.submit);
  const undo = button('Undo', form.reject);
  // The state of the task shows why an erase has failed.
  const remove = button('Remove', () => task.erase().catch(() => undefined));
  input.ariaLabel = 'Title';
  input.addEventListener('input', () => void task.set('title', input.value));
  element.append(input, save, undo, remove, note);

  const stopTitle = follow(task.$.field('title'), ({ value }) => {
    // An input that has this text already keeps its caret.
    input.value = value ?? '';
  });
  const stopState = follow(task.$.state, ({ dirty, phantom, saving, errors, error }) => {
    save.disabled = saving || !(dirty || phantom);
    undo.disabled = saving || !dirty;
    remove.disabled = saving;
    const problem = errors.title?.[0]?.message ?? error?.userMessage;
    note.textContent = problem ?? (saving ? 'saving' : phantom ? 'new' : dirty ? 'edited' : 'saved');
  });
  const stop = () => {
    stopTitle();
    stopState();
  };
  return { element, stop };
}

/** Renders the value of a source, now and after each change; returns the function that ends this. */
function follow<T>({ subscribe, get }: Source<T>, render: (value: T) => void): () => void {
  const renderValue = () => render(get());
  renderValue();
  return subscribe(renderValue);
}

function button(text: string, onClick: () => unknown): HTMLButtonElement {
  const element = document.createElement('button');
  element.textContent = text;
  element.addEventListener('click', onClick);
  return element;
}
