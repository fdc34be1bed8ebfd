import type { Store } from 'repose';
import {
  useField,
  useForm,
  useGroups,
  useList,
  useLoaded,
  useOutbox,
  useReference,
  useSelection,
  useSource,
  useStore,
  useView,
  useWindow,
} from 'repose/solid';
import { createSignal, For, Match, Show, Switch } from 'solid-js';
import {
  Delivery,
  deliveries,
  grouped,
  idIn,
  newOrders,
  newOrdersOf,
  note,
  Order,
  outbox,
  seen,
  shared,
  showStatus,
  undoable,
  type Way,
} from '../hooks.js';

function OrderInput(props: { order: Order }) {
  const no = useField(() => props.order, 'no');
  return (
    <input aria-label="No" value={no().value} onInput={(event) => props.order.set('no', event.currentTarget.value)} />
  );
}

function OwnStore() {
  const orders = useStore(newOrders);
  return (
    <section aria-busy={orders().loading}>
      <Show when={orders().error}>
        {(error) => (
          <p role="alert" title={error().code}>
            <button type="button" onClick={() => orders().retry()}>
              Try again
            </button>
          </p>
        )}
      </Show>
      <For each={orders().records}>{(order) => <OrderInput order={order} />}</For>
      <button type="button" disabled={!orders().hasMore} onClick={() => orders().loadMore()}>
        More
      </button>
      <button type="button" onClick={() => orders().store.sort('total')}>
        Sort
      </button>
    </section>
  );
}

/** A store that depends on what the component is given. */
function StatusStore(props: { status: string; way: Way }) {
  const dependencies = props.way === 'kept' ? undefined : () => [props.status];
  const update = props.way === 'changed' ? (store: Store<Order>) => showStatus(store, props.status) : undefined;
  const orders = useStore(() => newOrdersOf(props.status), dependencies, update);
  const ids = () => orders().records.map(({ id }) => id);
  return <p role="status">{`${orders().loading ? 'loading' : 'idle'} ${ids()}`}</p>;
}

/** A source that has no function of its own. */
function Undoable() {
  const undo = useSource(undoable);
  return <p role="status">{undo().canUndo ? 'can undo' : 'nothing to undo'}</p>;
}

function SharedStore() {
  const [orders, again] = [useStore(shared), useStore(shared)];
  const ids = () => orders().records.map(({ id }) => id);
  return <p role="status">{`${orders().loading ? 'loading' : 'idle'} ${ids()} of ${again().total}`}</p>;
}

function OwnView() {
  const [direction, setDirection] = createSignal<'ASC' | 'DESC'>('ASC');
  const shown = useView(grouped, () => ({
    sorters: [{ property: 'no' as const, direction: direction() }],
    filters: [{ property: 'status' as const, value: 'new' }],
  }));
  const ids = () => {
    seen(shown().view);
    return shown().records.map(({ id }) => id);
  };
  return (
    <>
      <p role="status">{ids().join()}</p>
      <button type="button" onClick={() => setDirection('DESC')}>
        Turn
      </button>
    </>
  );
}

function OwnWindow() {
  const [start, setStart] = createSignal(0);
  const shown = useWindow(shared, () => ({
    ...{ start: start(), end: start() + 2, prefetch: 0 },
    query: shared.query.with({ sorters: ['no'] }),
  }));
  const text = () => {
    const { list, loading, window } = shown();
    seen(window);
    const ids = list.slice(start(), start() + 2).map((order) => order?.id ?? '…');
    return `${loading ? 'loading' : 'idle'} ${ids} of ${list.count}`;
  };
  return (
    <>
      <p role="status">{text()}</p>
      <Show when={shown().error}>
        {(error) => (
          <button type="button" onClick={() => shown().retry()}>
            Try again after {error().code}
          </button>
        )}
      </Show>
      <button type="button" onClick={() => setStart(2)}>
        Next
      </button>
    </>
  );
}

function Loaded(props: { id: string | undefined; note?: boolean }) {
  const loaded = useLoaded(Order, () => props.id);
  const text = () => {
    const { record, loading, error, notFound, idle } = loaded();
    const what = idle ? 'idle' : notFound ? 'not found' : (error?.code ?? (loading ? 'loading' : 'loaded'));
    return `${what} ${record?.id ?? ''}`.trim();
  };
  return (
    <div>
      <p role={props.note ? 'note' : 'status'}>{text()}</p>
      <button type="button" onClick={() => loaded().reload()}>
        Reload
      </button>
      <Show when={loaded().record} keyed>
        {(record) => <OrderInput order={record} />}
      </Show>
    </div>
  );
}

function GroupList() {
  const shown = useGroups(grouped);
  const text = () => {
    const { groups, summaries } = shown();
    const texts = groups.map((each) => `${each.key} ${each.records.map(({ id }) => id)} = ${each.summaries.total}`);
    return `${texts.join('; ')} = ${summaries.total}`;
  };
  return <p role="status">{text()}</p>;
}

function Selected() {
  const [orders, selection] = [useStore(shared), useSelection(shared)];
  return (
    <>
      <p role="status">{`${selection().count} selected`}</p>
      <For each={orders().records}>
        {(order) => (
          <input
            type="checkbox"
            aria-label={`Select ${order.id}`}
            checked={selection().isSelected(order)}
            onChange={() => selection().toggle(order)}
          />
        )}
      </For>
      <button type="button" onClick={() => orders().loadPage(1)}>
        Page 1
      </button>
      <button type="button" onClick={() => orders().loadPage(2)}>
        Page 2
      </button>
      <button type="button" onClick={() => selection().selectAll()}>
        All
      </button>
    </>
  );
}

function Recipient(props: { delivery: Delivery }) {
  const recipient = useReference(Delivery, () => props.delivery, 'customerId');
  const text = () => {
    const { record, loading, error, notFound, idle } = recipient();
    return idle ? 'nobody' : notFound ? 'unknown' : loading ? '…' : (error?.code ?? record?.name);
  };
  return <li>{text()}</li>;
}

function Deliveries() {
  const list = useList(deliveries);
  return <For each={list().slice()}>{(delivery) => <Recipient delivery={delivery} />}</For>;
}

/** A form whose saves an outbox keeps, and what the outbox holds. */
function Offline() {
  const form = useForm(note);
  const held = useOutbox(outbox);
  const [outcome, setOutcome] = createSignal('');
  const text = () => {
    const { queued, failed, online } = held();
    return `${queued} queued, ${failed.length} failed, ${online ? 'online' : 'offline'}`;
  };
  return (
    <form onSubmit={async (event) => setOutcome(String(await form.submit(event)))}>
      <input aria-label="Text" {...form.input('text')} />
      <button type="submit">Save</button>
      <p role="note">{outcome()}</p>
      <p role="status">{text()}</p>
      <em>{held().error?.userMessage}</em>
      <For each={held().failed}>
        {({ userMessage, retry, discard }) => (
          <p role="alert">
            {userMessage}
            <button type="button" onClick={retry}>
              Send again
            </button>
            <button type="button" onClick={discard}>
              Give up
            </button>
          </p>
        )}
      </For>
    </form>
  );
}

/** One part at a time, each with components that own what they show. */
export default function Hooks() {
  const [shown, setShown] = createSignal('');
  window.show = (name) => {
    setShown(name);
  };
  const is = (name: string) => shown().split('/')[0] === name;
  return (
    <Switch>
      <Match when={is('store')}>
        <OwnStore />
      </Match>
      <Match when={is('made')}>
        <StatusStore status={idIn(shown()) ?? ''} way="made" />
      </Match>
      <Match when={is('changed')}>
        <StatusStore status={idIn(shown()) ?? ''} way="changed" />
      </Match>
      <Match when={is('kept')}>
        <StatusStore status={idIn(shown()) ?? ''} way="kept" />
      </Match>
      <Match when={is('source')}>
        <Undoable />
      </Match>
      <Match when={is('shared')}>
        <SharedStore />
      </Match>
      <Match when={is('view')}>
        <OwnView />
      </Match>
      <Match when={is('window')}>
        <OwnWindow />
      </Match>
      <Match when={is('groups')}>
        <GroupList />
      </Match>
      <Match when={is('selection')}>
        <Selected />
      </Match>
      <Match when={is('references')}>
        <Deliveries />
      </Match>
      <Match when={is('offline')}>
        <Offline />
      </Match>
      <Match when={is('loaded')}>
        <Loaded id={idIn(shown())} />
      </Match>
      <Match when={is('twice')}>
        <Loaded id={idIn(shown())} />
        <Loaded id={idIn(shown())} note />
      </Match>
    </Switch>
  );
}
