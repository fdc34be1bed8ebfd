import { Model, plain, receive, Session, Store } from 'repose';
import { useList, useStatus, useStore } from 'repose/solid';
import { dehydrate, hydrate, stringify } from 'repose/ssr';
import { For } from 'solid-js';

const answer = async () => Response.json([{ id: 1, title: 'one' }], { headers: { 'X-Total-Count': '1' } });
const define = () =>
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string' },
    proxy: { type: 'rest', baseUrl: 'http://a.test', url: '/tasks', dialect: plain(), fetch: answer },
  }) {};
type Tasks = Store<InstanceType<ReturnType<typeof define>>>;

/** A list as the server renders it, and the page after it. */
export function List(props: { store: Tasks }) {
  const tasks = useStore(props.store);
  const list = useList(props.store);
  const status = useStatus(props.store);
  return (
    <p>
      <b>
        {status().total} {list().count}
      </b>
      <For each={tasks().records}>{({ title }) => <i>{title}</i>}</For>
    </p>
  );
}

/** The store of a server, and the state for its page. */
export async function serve(): Promise<{ readonly store: Tasks; readonly state: string }> {
  const session = new Session();
  const store = new Store({ model: define(), session, pageSize: 0 });
  await store.load();
  return { store, state: stringify(dehydrate(session, [store])) };
}

/** The store of the page. */
export function openStore(state: string): Tasks {
  const Task = define();
  const session = new Session();
  hydrate(session, state, [Task]);
  return new Store({ model: Task, session, pageSize: 0 });
}

/** Gives a store a row, as a feed does. */
export function push(store: Tasks, id: number, title: string): void {
  receive(store, [{ id, title }]);
}
