import type { FormOptions } from 'repose';
import { useForm } from 'repose/solid';
import { createSignal, For, Show } from 'solid-js';
import { loose, type Task } from '../tasks.js';

function Form(props: { task: Task; options: FormOptions }) {
  const form = useForm(
    () => props.task,
    () => props.options,
  );
  const title = form.field('title');
  const summary = () => {
    const { dirty, valid, saving, submitted, error } = form.state();
    return Object.entries({ dirty, valid, saving, submitted, [error?.code ?? '']: error })
      .flatMap(([name, value]) => (value ? [name] : []))
      .join(' ');
  };
  return (
    <form onSubmit={form.submit}>
      <input
        aria-label="Title"
        aria-invalid={title().errors.length > 0}
        value={title().value}
        onInput={(event) => form.set('title', event.currentTarget.value)}
        onBlur={() => form.touch('title')}
      />
      <For each={title().errors}>{(issue) => <em>{issue.message}</em>}</For>
      <button type="submit">Save</button>
      <button type="button" onClick={form.reject}>
        Reset
      </button>
      <output>{summary()}</output>
    </form>
  );
}

/** A form over a record; its autosave can be switched on. */
export default function FormScreen() {
  const [options, setOptions] = createSignal<FormOptions>({});
  const [shown, setShown] = createSignal(true);
  window.swap = () => setOptions({ autosave: 1_000_000 });
  window.leave = () => setShown(false);
  return (
    <Show when={shown()}>
      <Form task={loose} options={options()} />
    </Show>
  );
}
