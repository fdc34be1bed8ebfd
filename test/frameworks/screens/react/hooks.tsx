import { Activity, Component, type ReactNode, Suspense, startTransition, use, useEffect, useState } from 'react';
import { Store } from 'repose';
import {
  useField,
  useForm,
  useGroups,
  useList,
  useLoaded,
  useOutbox,
  useRecord,
  useReference,
  useSelection,
  useSource,
  useStatus,
  useStore,
  useSuspenseList,
  useSuspenseLoaded,
  useView,
  useWindow,
} from 'repose/react';
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

function OrderInput({ order }: { order: Order }) {
  const { value } = useField(order, 'no');
  return (
    <li>
      <input aria-label="No" value={value} onChange={(event) => order.set('no', event.target.value)} />
    </li>
  );
}

/** A store that the component makes. */
function OwnStore() {
  const { records, loading, error, retry, reload, loadMore, hasMore, store } = useStore(newOrders);
  return (
    <section aria-busy={loading}>
      {error && (
        <p role="alert" title={error.code}>
          {error.userMessage}
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      <ul>
        {records.map((order) => (
          <OrderInput key={order.$.key} order={order} />
        ))}
      </ul>
      <button type="button" disabled={!hasMore} onClick={loadMore}>
        More
      </button>
      <button type="button" onClick={reload}>
        Reload
      </button>
      <button type="button" onClick={() => store.sort('total')}>
        Sort
      </button>
    </section>
  );
}

/** A store that depends on what the component is given. */
function StatusStore({ status, way }: { status: string; way: Way }) {
  const dependencies = way === 'kept' ? undefined : [status];
  const update = way === 'changed' ? (store: Store<Order>) => showStatus(store, status) : undefined;
  const { records, loading } = useStore(() => newOrdersOf(status), dependencies, update);
  return (
    <p role="status">
      {loading ? 'loading' : 'idle'} {records.map(({ id }) => id).join()}
    </p>
  );
}

const never = new Promise<void>(() => undefined);

function Waits({ status }: { status: string }) {
  if (status === 'paid') use(never);
  return null;
}

/** A store whose dependency changes in a transition that waits. */
function InTransition() {
  const [status, setStatus] = useState('new');
  const [count, setCount] = useState(0);
  return (
    <>
      <button type="button" onClick={() => startTransition(() => setStatus('paid'))}>
        Paid
      </button>
      <button type="button" onClick={() => setCount(count + 1)}>
        Rendered {count}
      </button>
      <Suspense>
        <StatusStore status={status} way="made" />
        <Waits status={status} />
      </Suspense>
    </>
  );
}

/** A source that has no hook of its own. */
function Undoable() {
  const { canUndo } = useSource(undoable);
  return <p role="status">{canUndo ? 'can undo' : 'nothing to undo'}</p>;
}

/** A store that lives elsewhere, twice. */
function SharedStore() {
  const { records, loading } = useStore(shared);
  const { total } = useStore(shared);
  return (
    <p role="status">
      {loading ? 'loading' : 'idle'} {records.map(({ id }) => id).join()} of {total}
    </p>
  );
}

function OwnView() {
  const [isDescending, setDescending] = useState(false);
  const { records, view } = useView(grouped, {
    sorters: [{ property: 'no', direction: isDescending ? 'DESC' : 'ASC' }],
    filters: [{ property: 'status', value: 'new' }],
  });
  seen(view);
  return (
    <>
      <p role="status">{records.map(({ id }) => id).join()}</p>
      <button type="button" onClick={() => setDescending(true)}>
        Turn
      </button>
    </>
  );
}

function OwnWindow() {
  const [start, setStart] = useState(0);
  const { list, loading, error, retry, window } = useWindow(shared, {
    ...{ start, end: start + 2, prefetch: 0 },
    // Another object at each render.
    query: shared.query.with({ sorters: ['no'] }),
  });
  seen(window);
  return (
    <>
      <p role="status">
        {loading ? 'loading' : 'idle'}{' '}
        {list
          .slice(start, start + 2)
          .map((order) => order?.id ?? '…')
          .join()}{' '}
        of {list.count}
      </p>
      {error && (
        <button type="button" onClick={retry}>
          Try again after {error.code}
        </button>
      )}
      <button type="button" onClick={() => setStart(2)}>
        Next
      </button>
    </>
  );
}

function Loaded({ id, label = 'status' }: { id: string | undefined; label?: string }) {
  const { record, loading, error, notFound, idle, reload } = useLoaded(Order, id);
  const what = idle ? 'idle' : notFound ? 'not found' : (error?.code ?? (loading ? 'loading' : 'loaded'));
  return (
    <div>
      <p role={label}>
        {what} {record?.id}
      </p>
      <button type="button" onClick={reload}>
        Reload
      </button>
      {record && <OrderInput order={record} />}
    </div>
  );
}

function Suspended({ id }: { id: string }) {
  const { record } = useSuspenseLoaded(Order, id);
  return <p role="note">{record.no}</p>;
}

function GroupList() {
  const { groups, summaries } = useGroups(grouped);
  return (
    <p role="status">
      {groups
        .map((group) => `${group.key} ${group.records.map(({ id }) => id).join()} = ${group.summaries.total}`)
        .join('; ')}{' '}
      = {summaries.total}
    </p>
  );
}

function Selected() {
  const { records, loadPage } = useStore(shared);
  const { count, isSelected, toggle, selectAll } = useSelection(shared);
  return (
    <>
      <p role="status">{count} selected</p>
      {records.map((order) => (
        <input
          key={order.$.key}
          type="checkbox"
          aria-label={`Select ${order.id}`}
          checked={isSelected(order)}
          onChange={() => toggle(order)}
        />
      ))}
      <button type="button" onClick={() => loadPage(1)}>
        Page 1
      </button>
      <button type="button" onClick={() => loadPage(2)}>
        Page 2
      </button>
      <button type="button" onClick={selectAll}>
        All
      </button>
    </>
  );
}

function Recipient({ delivery }: { delivery: Delivery }) {
  const { record, loading, error, notFound, idle } = useReference(Delivery, delivery, 'customerId');
  return <li>{idle ? 'nobody' : notFound ? 'unknown' : loading ? '…' : (error?.code ?? record?.name)}</li>;
}

function Deliveries() {
  return useList(deliveries)
    .slice()
    .map((delivery) => <Recipient key={delivery.$.key} delivery={delivery} />);
}

/** A form whose saves an outbox keeps, and what the outbox holds. */
function Offline() {
  const { input, submit } = useForm(note);
  const { queued, failed, online, error } = useOutbox(outbox);
  const [outcome, setOutcome] = useState('');
  return (
    <form onSubmit={async (event) => setOutcome(String(await submit(event)))}>
      <input aria-label="Text" {...input('text')} />
      <button type="submit">Save</button>
      <p role="note">{outcome}</p>
      <p role="status">
        {queued} queued, {failed.length} failed, {online ? 'online' : 'offline'}
      </p>
      <em>{error?.userMessage}</em>
      {failed.map(({ key, userMessage, retry, discard }) => (
        <p key={key} role="alert">
          {userMessage}
          <button type="button" onClick={retry}>
            Send again
          </button>
          <button type="button" onClick={discard}>
            Give up
          </button>
        </p>
      ))}
    </form>
  );
}

/** Mistakes: each render makes another record. */
const recordMadeInRender: Readonly<Record<string, () => unknown>> = {
  useForm: () => useForm(Order.fromRow({ id: 1, no: 'n1' })),
  useRecord: () => useRecord(Order.fromRow({ id: 1, no: 'n1' })),
  useField: () => useField(Order.fromRow({ id: 1, no: 'n1' }), 'no'),
};

/** No mistake: each click gives another record. */
function useReplaced(): Order {
  const [, setCount] = useState(0);
  const [order, setOrder] = useState(() => Order.fromRow({ id: 0, no: 'n0' }) as Order);
  useForm(order);
  useRecord(order);
  useField(order, 'no');
  useEffect(() => {
    window.replaceOrder = (id) => {
      setOrder(Order.fromRow({ id, no: `n${id}` }) as Order);
      setCount(id);
    };
  }, []);
  return order;
}

function Replaced() {
  return <p role="status">{useReplaced().no}</p>;
}

function Again({ callHook }: { callHook: () => unknown }) {
  const [count, setCount] = useState(0);
  callHook();
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      Again
    </button>
  );
}

/** Mistakes: each render makes another store. */
const madeInRender: Readonly<Record<string, () => unknown>> = {
  list: () => useList(new Store({ model: Order, pageSize: 0, autoLoad: true })),
  status: () => useStatus(new Store({ model: Order, pageSize: 0, autoLoad: true })),
  store: () => useStore(new Store({ model: Order, pageSize: 0 })),
  suspense: () => useSuspenseList(new Store({ model: Order, pageSize: 0 })),
};

const nothing = undefined as never;
const wrong: Readonly<Record<string, () => unknown>> = {
  useStore: () => useStore(nothing),
  'useStore of a function': () => useStore(() => nothing),
  useView: () => useView(nothing),
  useWindow: () => useWindow(nothing),
  useLoaded: () => useLoaded(nothing, 1),
  'useSuspenseLoaded without an id': () => useSuspenseLoaded(Order, nothing),
  useGroups: () => useGroups(nothing),
  'useGroups of a store without groups': () => useGroups(shared as never),
  useSelection: () => useSelection(nothing),
  useOutbox: () => useOutbox(nothing),
  useReference: () => useReference(Delivery, nothing, 'customerId'),
  useList: () => useList(nothing),
  useStatus: () => useStatus(nothing),
  useField: () => useField({} as never, 'no' as never),
  useRecord: () => useRecord(nothing),
  useSource: () => useSource(nothing),
  useForm: () => useForm(nothing),
};

function Wrong({ callHook }: { callHook: () => unknown }) {
  callHook();
  return null;
}

interface BoundaryProps {
  readonly name: string;
  readonly children: ReactNode;
}

class Boundary extends Component<BoundaryProps, { readonly error?: Error & { readonly code: string } }> {
  override state: { readonly error?: Error & { readonly code: string } } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <p role="alert" title={error.code}>
        {this.props.name}: {error.message}
        <button type="button" onClick={() => this.setState({ error: undefined as never })}>
          Reset
        </button>
      </p>
    );
  }
}

function partOf(shown: string): ReactNode {
  const id = idIn(shown);
  const [name] = shown.split('/');
  if (name === 'store' || name === 'hidden')
    return (
      <Activity mode={name === 'hidden' ? 'hidden' : 'visible'}>
        <OwnStore />
      </Activity>
    );
  if (name === 'made' || name === 'changed' || name === 'kept') return <StatusStore status={id ?? ''} way={name} />;
  if (name === 'transition') return <InTransition />;
  if (name === 'source') return <Undoable />;
  if (name === 'shared') return <SharedStore />;
  if (name === 'view') return <OwnView />;
  if (name === 'window') return <OwnWindow />;
  if (name === 'groups') return <GroupList />;
  if (name === 'selection') return <Selected />;
  if (name === 'wrong-store')
    return (
      <Boundary key={id} name="Made">
        <Suspense fallback={<p role="status">waiting</p>}>
          <Wrong callHook={madeInRender[id ?? ''] as () => unknown} />
        </Suspense>
      </Boundary>
    );
  if (name === 'wrong-record')
    return (
      <Boundary key={id} name="Made">
        <Again callHook={recordMadeInRender[id ?? ''] as () => unknown} />
      </Boundary>
    );
  if (name === 'replaced')
    return (
      <Boundary name="Replaced">
        <Replaced />
      </Boundary>
    );
  if (name === 'references') return <Deliveries />;
  if (name === 'offline') return <Offline />;
  if (name === 'loaded') return <Loaded id={id} />;
  if (name === 'twice')
    return (
      <>
        <Loaded id={id} />
        <Loaded id={id} label="note" />
      </>
    );
  if (name === 'suspended')
    return (
      <Boundary name="Failed">
        <Suspense fallback={<p role="status">waiting</p>}>
          <Suspended id={id ?? ''} />
          <Suspended id={id ?? ''} />
        </Suspense>
      </Boundary>
    );
  if (name === 'wrong')
    return Object.entries(wrong).map(([each, callHook]) => (
      <Boundary key={each} name={each}>
        <Wrong callHook={callHook} />
      </Boundary>
    ));
  return null;
}

/** One part at a time, each with components that own what they show. */
export default function Hooks() {
  const [shown, setShown] = useState('');
  useEffect(() => {
    window.show = setShown;
  }, []);
  return partOf(shown);
}
