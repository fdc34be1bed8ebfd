import { isDataError, type Outcome, type Store } from 'repose';
import type { Value } from '../client/value.js';
import type { Order } from '../models.js';

/** How a save of everything ended, or how far it is. */
export interface SaveState {
  readonly isRunning: boolean;
  readonly done: number;
  readonly total: number;
  readonly outcomes: readonly Outcome<Order>[];
}

/** Nothing was saved yet. */
export const NOT_SAVED: SaveState = { isRunning: false, done: 0, total: 0, outcomes: [] };

// #region save
/** Saves all that is new, edited or removed. One that fails does not keep the others from being saved. */
export async function saveAll(orders: Store<Order>, state: Value<SaveState>): Promise<void> {
  state.set({ ...NOT_SAVED, isRunning: true });
  const { outcomes } = await orders.sync({
    onProgress: ({ done, total }) => state.set({ ...NOT_SAVED, isRunning: true, done, total }),
  });
  state.set({ isRunning: false, done: outcomes.length, total: outcomes.length, outcomes });
}
// #endregion

const DONE = { create: 'created', update: 'saved', destroy: 'erased', read: 'read' } as const;

/** Says in words how the write of a record ended. */
export function outcomeText({ action, error }: Outcome<Order>): string {
  if (!error) return DONE[action];
  if (isDataError(error) && error.code === 'network' && error.queued)
    return 'kept in the outbox until the server can be reached';
  return error.userMessage;
}

/** The outcome of a save for each row. */
export function SavePanel({
  state,
  onShow,
  onClose,
}: {
  readonly state: SaveState;
  readonly onShow: (order: Order) => void;
  readonly onClose: () => void;
}) {
  const { isRunning, done, total, outcomes } = state;
  if (!isRunning && outcomes.length === 0) return null;
  const failed = outcomes.filter(({ error }) => error);
  const queued = failed.filter(({ error }) => isDataError(error) && error.code === 'network' && error.queued);
  const refused = failed.length - queued.length;
  const parts = [
    `${outcomes.length - failed.length} saved`,
    ...(queued.length > 0 ? [`${queued.length} in the outbox`] : []),
    ...(refused > 0 ? [`${refused} not saved`] : []),
  ];
  return (
    <section className="panel" aria-label="Outcome of the save">
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
            <li key={outcome.record.$.key} data-failed={outcome.error !== undefined} title={outcome.error?.message}>
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
