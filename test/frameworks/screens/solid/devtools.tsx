import { TanStackDevtoolsCore } from '@tanstack/devtools';
import { Model, Session } from 'repose';
import { tanstackDevtoolsPlugin } from 'repose/devtools';
import { restServer } from 'repose/testing';
import { onCleanup, onMount } from 'solid-js';

const server = restServer({ collections: { '/tasks': [{ id: 1, title: 'Write' }] }, ignoredParams: ['_dc'] });
class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: { type: 'rest', url: '/tasks', baseUrl: server.baseUrl, fetch: server.fetch },
}) {}

const session = new Session();
const plugin = tanstackDevtoolsPlugin(session);

/** TanStack Devtools with the plugin, opened at once. */
export default function Devtools() {
  let place: HTMLDivElement | undefined;
  const devtools = new TanStackDevtoolsCore({
    config: { defaultOpen: true },
    plugins: [{ ...plugin, defaultOpen: true }],
  });
  onMount(async () => {
    devtools.mount(place as HTMLDivElement);
    await session.load(Task, 1);
    Object.assign(globalThis, { devtools });
    document.body.dataset['ready'] = 'true';
  });
  onCleanup(() => devtools.unmount());
  return <div ref={place} />;
}
