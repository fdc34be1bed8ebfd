import { useMemo } from 'react';
import type { Outcome } from 'repose';
import { isQueued, useQueued } from '../client/queued.js';
import { sentenceOf } from '../client/sentences.js';
import type { Order } from '../models.js';
import type { SaveState } from './save-state.js';

const DONE = { create: 'created', update: 'saved', destroy: 'erased', read: 'read' } as const;

/** Says in words how the write of a record ended. */
export function outcomeText(outcome: Outcome<Order>): string {
  const { action, error } = outcome;
  if (!error) return DONE[action];
  return isQueued(outcome) ? 'kept in the outbox until the server can be reached' : sentenceOf(error);
}

function endOf(outcome: Outcome<Order>): 'done' | 'queued' | 'failed' {
  if (!outcome.error) return 'done';
  return isQueued(outcome) ? 'queued' : 'failed';
}

/** The outcome of a save for each row. */
export function SavePanel({
  name,
  state,
  onShow,
  onClose,
}: {
  /** The name of the person. */
  readonly name: string;
  readonly state: SaveState;
  readonly onShow: (order: Order) => void;
  readonly onClose: () => void;
}) {
  const { isRunning, done, total } = state;
  const outcomes = useOutcomes(state.outcomes);
  if (!isRunning && outcomes.length === 0) return null;
  const failed = outcomes.filter(({ error }) => error);
  const queued = failed.filter(isQueued);
  const refused = failed.length - queued.length;
  const parts = [
    `${outcomes.length - failed.length} saved`,
    ...(queued.length > 0 ? [`${queued.length} in the outbox`] : []),
    ...(refused > 0 ? [`${refused} not saved`] : []),
  ];
  return (
    <section className="panel" aria-label={`Outcome of the save of ${name}`}>
      <div className="panel-top">
        <p role="status">{isRunning ? `Saving ${done} of ${total || '…'}` : parts.join(', ')}</p>
        {!isRunning && (
          <button type="button" onClick={onClose}>
            Close
          </button>
        )}
      </div>
      {outcomes.length > 0 && (
        <ol className="outcomes">
          {outcomes.map((outcome) => (
            <li key={outcome.record.$.key} data-end={endOf(outcome)} title={outcome.error?.message}>
              <span>Order {outcome.record.phantom ? 'new' : outcome.record.id}</span>
              <span>{outcomeText(outcome)}</span>
              {outcome.action !== 'destroy' && !outcome.record.phantom && (
                <button type="button" className="plain" onClick={() => onShow(outcome.record)}>
                  Open
                </button>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** The outcomes of a save as they are by now: the outbox may have sent meanwhile what it kept then. */
function useOutcomes(outcomes: SaveState['outcomes']): SaveState['outcomes'] {
  useQueued(useMemo(() => outcomes.filter(isQueued).map(({ record }) => record), [outcomes]));
  return outcomes.map((outcome) => {
    const { queued, error } = outcome.record.$.state.get();
    if (!isQueued(outcome) || queued) return outcome;
    const { action, record } = outcome;
    return error ? { action, record, error } : { action, record };
  });
}
