import { type ReactNode, Suspense, use, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToReadableStream, renderToString } from 'react-dom/server.browser';
import { Model, plain, receive, Session, Store } from 'repose';
import { useList, useStatus, useStore, useSuspenseList } from 'repose/react';
import { dehydrate, hydrate, stringify } from 'repose/ssr';

/** One row of two, to those that ask for pages. */
const answer = async (input: string | URL | Request) => {
  const { searchParams } = new URL(input instanceof Request ? input.url : input, location.href);
  const id = Number(searchParams.get('page') ?? 1);
  return Response.json([{ id, title: id === 1 ? 'one' : 'more' }], {
    headers: { 'X-Total-Count': searchParams.has('limit') ? '2' : '1' },
  });
};
const define = () =>
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string' },
    proxy: { type: 'rest', url: '/tasks', dialect: plain(), fetch: answer },
  }) {};

type Tasks = Store<InstanceType<ReturnType<typeof define>>>;

const titles = (tasks: readonly { title?: string | undefined }[]) => tasks.map(({ title }) => title).join() || 'none';

const SHOWN: Readonly<Record<string, (props: { store: Tasks }) => string>> = {
  useStore: ({ store }) => {
    const { records, loading, total, hasMore, page, pending } = useStore(store);
    return JSON.stringify([titles(records), loading, total, hasMore, page, pending]);
  },
  useList: ({ store }) => titles(useList(store).slice()),
  useStatus: ({ store }) => {
    const { loading, loaded, total, pending } = useStatus(store);
    return JSON.stringify([loading, loaded, total, pending]);
  },
  useSuspenseList: ({ store }) => titles(useSuspenseList(store).slice()),
};

/** A store of a server, and the session of its page. */
async function served(pageSize: number) {
  const session = new Session();
  const server = new Store({ model: define(), session, pageSize });
  await server.load();
  const text = stringify(dehydrate(session, [server]));
  const open = () => {
    const Task = define();
    const own = new Session();
    const make = () => new Store({ model: Task, session: own, pageSize });
    return { make, hydrate: () => hydrate(own, text, [Task]) };
  };
  return { server, open };
}

/** Changes of a store of the page before React is there. */
const BEFORE: Readonly<Record<string, (page: Tasks) => unknown>> = {
  nothing: () => undefined,
  'a pushed row': (page) => receive(page, [{ id: 2, title: 'two' }]),
  'a new record': (page) => page.add({ title: 'new' }),
  'a removed record': (page) => page.remove(...page),
  'a filter': (page) => page.filter({ property: 'title', value: 'x' }),
  'more rows': (page) => page.loadMore(),
  'a load': (page) => page.reload(),
  'a load that goes on': (page) => void page.reload(),
};

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Hydrates HTML; resolves with whether React found it different, and with the text in the end. */
async function hydrated(html: string, shown: ReactNode, late?: () => unknown): Promise<string> {
  const root = document.createElement('div');
  root.innerHTML = html;
  const text = root.textContent;
  const first = root.firstElementChild;
  const problems: string[] = [];
  const mounted = hydrateRoot(root, shown, { onRecoverableError: (error) => problems.push(String(error)) });
  await late?.();
  await wait(50);
  const isKept = problems.length === 0 && root.firstElementChild === first;
  const found = `${text} ${isKept ? '' : 'thrown away '}> ${root.textContent}`;
  mounted.unmount();
  return found;
}

/** Hydrates what a server has rendered, after something has come to the store of the page. */
async function outcomes(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, come] of Object.entries(BEFORE)) {
    for (const [hook, Shown] of Object.entries(SHOWN)) {
      const { server, open } = await served(name === 'more rows' ? 1 : 0);
      const screen = (store: Tasks) => (
        <p>
          <Shown store={store} />
        </p>
      );
      const html = renderToString(screen(server));
      // The store is made before or after the state is read.
      const page = open();
      const early = hook === 'useList' ? page.make() : undefined;
      page.hydrate();
      const store = early ?? page.make();
      await come(store);
      found.push(`${name}, ${hook}: ${await hydrated(html, screen(store))}`);
    }
  }
  return [...found, await latePart(), await ownPart()];
}

/** A part of the page that React takes over later than the rest, in which the same store is on show. */
async function latePart(): Promise<string> {
  const { server, open } = await served(0);
  const { useList: List, useStatus: Status } = SHOWN as {
    useList: (props: { store: Tasks }) => string;
    useStatus: (props: { store: Tasks }) => string;
  };
  const Waiting = ({ code, store }: { code: Promise<void>; store: Tasks }) => {
    use(code);
    return <List store={store} />;
  };
  const screen = (store: Tasks, code: Promise<void>) => (
    <div>
      <Status store={store} />
      <Suspense fallback="Loading">
        <Waiting code={code} store={store} />
      </Suspense>
    </div>
  );
  const stream = await renderToReadableStream(screen(server, Promise.resolve()));
  await stream.allReady;
  const html = await new Response(stream).text();
  const page = open();
  page.hydrate();
  const store = page.make();
  receive(store, [{ id: 2, title: 'two' }]);
  let arrive = () => {};
  const code = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const late = async () => {
    await wait(30);
    store.add({ title: 'new' });
    arrive();
  };
  return `late part: ${await hydrated(html, screen(store, code), late)}`;
}

/** A part that the page renders by itself shows the present. */
async function ownPart(): Promise<string> {
  const { open } = await served(0);
  const page = open();
  page.hydrate();
  const store = page.make();
  receive(store, [{ id: 2, title: 'two' }]);
  const List = SHOWN['useList'] as (props: { store: Tasks }) => string;
  const { createRoot } = await import('react-dom/client');
  const root = document.createElement('div');
  const mounted = createRoot(root);
  const texts: string[] = [];
  const Part = () => {
    texts.push(titles(useList(store).slice()));
    return <List store={store} />;
  };
  mounted.render(<Part />);
  await wait(20);
  mounted.unmount();
  return `own part: ${[...new Set(texts)].join(' > ')}`;
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
