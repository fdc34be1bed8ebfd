import { useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { Model, plain, receive, Session, Store } from 'repose';
import { useList, useStatus, useStore } from 'repose/react';
import { dehydrate, hydrate, stringify } from 'repose/ssr';

const rows = [{ id: 1, title: 'one' }];
/** One row of two, to those that ask for pages. */
const answer = async (url: string | URL) =>
  Response.json(rows, { headers: { 'X-Total-Count': String(url).includes('limit') ? '2' : '1' } });
const define = () =>
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string' },
    proxy: { type: 'rest', url: '/tasks', dialect: plain(), fetch: answer },
  }) {};

type Tasks = Store<InstanceType<ReturnType<typeof define>>>;

const SHOWN: Readonly<Record<string, (props: { store: Tasks }) => string>> = {
  useStore: ({ store }) => {
    const { records, loading, total, hasMore, page } = useStore(store);
    return JSON.stringify([records.map(({ title }) => title), loading, total, hasMore, page]);
  },
  useList: ({ store }) =>
    useList(store)
      .slice()
      .map(({ title }) => title)
      .join() || 'none',
  useStatus: ({ store }) => {
    const { loading, loaded, total } = useStatus(store);
    return JSON.stringify([loading, loaded, total]);
  },
};

/** Stores of a server and of its page, to which rows came before React was there. */
const CASES: Readonly<Record<string, () => Promise<readonly [server: Tasks, page: Tasks]>>> = {
  'loaded before': async () => {
    const page = new Store({ model: define(), pageSize: 1 });
    await page.load();
    return [new Store({ model: define(), pageSize: 1 }), page];
  },
  'pushed before': async () => {
    const [served, session] = [new Session(), new Session()];
    const server = new Store({ model: define(), session: served, pageSize: 0 });
    await server.load();
    const Task = define();
    hydrate(session, stringify(dehydrate(served, [server])), [Task]);
    const page = new Store({ model: Task, session, pageSize: 0 });
    receive(page, [{ id: 2, title: 'two' }]);
    return [server, page];
  },
  'loaded more before': async () => {
    const [served, session] = [new Session(), new Session()];
    const server = new Store({ model: define(), session: served, pageSize: 1 });
    await server.load();
    const Task = define();
    hydrate(session, stringify(dehydrate(served, [server])), [Task]);
    const page = new Store({ model: Task, session, pageSize: 1 });
    await page.loadMore();
    page.add({ title: 'new' });
    return [server, page];
  },
};

/** Hydrates what a server has rendered, and shows what React found to be different, and the text in the end. */
async function outcomes(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, make] of Object.entries(CASES)) {
    for (const [hook, Shown] of Object.entries(SHOWN)) {
      const [server, page] = await make();
      const root = document.createElement('div');
      root.innerHTML = renderToString(<Shown store={server} />);
      const html = root.textContent ?? '';
      const problems: string[] = [];
      const mounted = hydrateRoot(root, <Shown store={page} />, { onRecoverableError: () => problems.push('differs') });
      await new Promise((resolve) => setTimeout(resolve, 50));
      found.push(`${name}, ${hook}: ${html} ${problems.join()}> ${root.textContent}`);
      mounted.unmount();
    }
  }
  return found;
}

/** A server and its page in one document. */
export default function Hydration() {
  const [found, setFound] = useState<readonly string[]>([]);
  return (
    <>
      <button type="button" onClick={async () => setFound(await outcomes())}>
        Run
      </button>
      <ul>
        {found.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </>
  );
}
