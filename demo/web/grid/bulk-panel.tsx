import { useRef, useState } from 'react';
import { selectionOf } from 'repose';
import { useSelection } from 'repose/react';
import { useClient, useValue } from '../client/client-context.js';
import { sentenceOf } from '../client/sentences.js';
import type { Order } from '../models.js';
import { STATUSES } from '../models.js';
import { goTo } from '../panes/place.js';
import { type BulkAction, BulkJob, type BulkState, SelectionGone } from './bulk-job.js';
import { formatCount } from './formats.js';

/** The most orders that are named after a bulk action. */
const MOST_LISTED = 50;

interface PanelProps {
  /** Number of orders that match. */
  readonly total: number | undefined;
  /** Called when a bulk action has ended, so that the grid shows what it did. */
  readonly onDone: () => void;
}

/** The actions for the selected orders, and how far it is. */
export function BulkPanel({ total, onDone }: PanelProps) {
  const { name, orders, models, view } = useClient();
  const { all, count = total, clear } = useSelection(orders);
  const job = useValue(view.bulk);
  const [asksToErase, setAsksToErase] = useState(false);
  const [failure, setFailure] = useState<string>();

  const isStarting = useRef(false);

  const start = async (action: BulkAction) => {
    if (isStarting.current) return;
    isStarting.current = true;
    setAsksToErase(false);
    setFailure(undefined);
    let ids: number[] | undefined;
    try {
      ids = all ? undefined : await selectedIds(selectionOf(orders).pages());
    } catch (error) {
      setFailure(sentenceOf(error));
      return;
    } finally {
      isStarting.current = false;
    }
    const isChosen = (item: Order | number | string) => {
      if (all && !selectionOf(orders).get().all) throw new SelectionGone();
      return selectionOf(orders).isSelected(item);
    };
    const next = new BulkJob(models.Order, action, { orders, ids, total: count ?? 0 }, isChosen);
    view.bulk.set(next);
    void next.run();
  };
  const end = () => {
    job?.dispose();
    view.bulk.set(undefined);
    clear();
    onDone();
  };

  if (job) return <Progress name={name} job={job} onEnd={end} />;
  if (!all && (count ?? 0) === 0) return null;
  return (
    <section className="panel" aria-label={`Selected orders of ${name}`}>
      <div className="panel-top">
        <p role="status">
          {all ? 'All that match: ' : ''}
          {count === undefined ? '' : formatCount(count)} selected
        </p>
        {asksToErase ? (
          <>
            <span>Erase for good?</span>
            <button type="button" className="danger" onClick={() => start({ kind: 'erase' })}>
              Erase {count === undefined ? '' : formatCount(count)}
            </button>
            <button type="button" onClick={() => setAsksToErase(false)}>
              Keep them
            </button>
          </>
        ) : (
          <>
            <select
              aria-label="Set the status of the selected orders"
              value=""
              onChange={({ target: { value } }) => start({ kind: 'status', status: value })}
            >
              <option value="">Set status…</option>
              {STATUSES.map((status) => (
                <option key={status}>{status}</option>
              ))}
            </select>
            <button type="button" onClick={() => start({ kind: 'urgent', urgent: true })}>
              Mark urgent
            </button>
            <button type="button" onClick={() => setAsksToErase(true)}>
              Erase…
            </button>
            <button
              type="button"
              className="plain"
              onClick={() => {
                setFailure(undefined);
                clear();
              }}
            >
              Clear selection
            </button>
          </>
        )}
      </div>
      {failure && (
        <p className="panel-failure" role="alert">
          {failure} Nothing was changed.
        </p>
      )}
    </section>
  );
}

function Progress({ name, job, onEnd }: { readonly name: string; readonly job: BulkJob; readonly onEnd: () => void }) {
  const state = useValue<BulkState>(job.state);
  const { phase, done, failed, total, failure, canGoOn, refusals } = state;
  const listed = [...refusals].slice(0, MOST_LISTED);
  return (
    <section className="panel" aria-label={`Progress of the bulk action of ${name}`}>
      <div className="panel-top">
        <progress max={Math.max(total, 1)} value={done + failed} aria-label="Orders done" />
        <p role="status">{progressText(state)}</p>
        {phase === 'running' && (
          <button type="button" onClick={() => job.stop()}>
            Stop
          </button>
        )}
        {phase === 'stopped' && canGoOn && (
          <button type="button" className="primary" onClick={() => void job.run()}>
            {failure ? 'Try again' : 'Resume'}
          </button>
        )}
        {phase !== 'running' && (
          <button type="button" onClick={onEnd}>
            Close
          </button>
        )}
      </div>
      {failure && (
        <p className="panel-failure" role="alert">
          {failure}
        </p>
      )}
      {listed.length > 0 && (
        <ol className="outcomes" aria-label="Orders that were refused">
          {listed.map(([id, reason]) => (
            <li key={id} data-end="failed">
              <span>Order {id}</span>
              <span>{reason}</span>
              <button type="button" className="plain" onClick={() => goTo(name.toLowerCase(), `order/${id}`)}>
                Open
              </button>
            </li>
          ))}
          {refusals.size > listed.length && <li>and {formatCount(refusals.size - listed.length)} more</li>}
        </ol>
      )}
    </section>
  );
}

function progressText({ phase, done, failed, total }: BulkState): string {
  const lost = failed > 0 ? `, ${formatCount(failed)} refused` : '';
  const counted = `${formatCount(done)} of ${formatCount(total)}${lost}`;
  return phase === 'stopped' ? `Stopped at ${counted}` : phase === 'done' ? `Done: ${counted}` : counted;
}

/** The ids of the selected orders, also of those on no page. */
async function selectedIds(pages: AsyncIterable<readonly Order[]>): Promise<number[]> {
  const ids: number[] = [];
  for await (const page of pages) ids.push(...page.map(({ id }) => id));
  return ids;
}
