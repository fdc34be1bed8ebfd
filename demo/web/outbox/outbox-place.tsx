import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { type ConflictError, isDataError, type Model } from 'repose';
import type { OutboxEntry } from 'repose/outbox';
import { type FailedEntry, useOutbox } from 'repose/react';
import clientText from '../client/client.ts?raw';
import { useClient } from '../client/client-context.js';
import { sentenceOf } from '../client/sentences.js';
import { ShowCode } from '../code/show-code.js';
import { ConflictNotice } from '../conflict/conflict-dialog.js';
import text from './outbox-place.tsx?raw';

/** The writes that a client keeps until the server has answered them: those that wait, and those that need a decision. */
export function OutboxPlace() {
  const { outbox } = useClient();
  // #region outbox
  const { queued, sending, failed, online, paused, error, sendNow } = useOutbox(outbox);
  const entries = useEntries();
  const undecided = new Set(failed.map(({ key }) => key));
  const waiting = entries.filter(({ key }) => !undecided.has(key));
  // #endregion
  const count = queued + sending;
  const isRead = useIsRead();
  return (
    <div className="outbox">
      <header className="part-top">
        <h3>Outbox</h3>
        <ShowCode
          title="Writes that are kept until they are answered"
          parts={[
            { file: 'outbox/outbox-place.tsx', text, region: 'outbox' },
            { file: 'client/client.ts', text: clientText, region: 'client' },
          ]}
        />
        <button type="button" aria-pressed={paused} onClick={() => (paused ? outbox.resume() : outbox.pause())}>
          {paused ? 'Go on sending' : 'Hold back'}
        </button>
        <button type="button" disabled={count === 0 || !online} onClick={() => void sendNow()}>
          Send now
        </button>
      </header>
      <p role="status" className="outbox-status">
        {isRead ? statusOf({ count, online, paused, failed: failed.length }) : 'Reading what is stored'}
      </p>
      {error && online && count > 0 && (
        <p className="notice" role="alert">
          {error.userMessage} The outbox tries again by itself.
        </p>
      )}
      {failed.length > 0 && (
        <section aria-label="Writes that need a decision">
          <h4>Needs your decision</h4>
          <ul className="writes">
            {failed.map((write) => (
              <FailedRow key={write.key} write={write} />
            ))}
          </ul>
        </section>
      )}
      {waiting.length > 0 && (
        <section aria-label="Writes that wait">
          <h4>Waits</h4>
          <ul className="writes">
            {waiting.map((entry) => (
              <li key={entry.key}>
                <p>
                  <strong>{titleOf(entry)}</strong> {valuesOf(entry)}
                </p>
                <span className="quiet">{attemptsOf(entry)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** Whether the writes that were stored before this page have been read. */
function useIsRead(): boolean {
  const { outbox } = useClient();
  const [isRead, setRead] = useState(false);
  useEffect(() => {
    const done = () => setRead(true);
    // A storage that cannot be opened is told by `error`.
    outbox.ready.then(done, done);
  }, [outbox]);
  return isRead;
}

/** The contents of the outbox, from `outbox.entries` and its event `change`. */
function useEntries(): readonly OutboxEntry[] {
  const { outbox } = useClient();
  const source = useMemo(() => {
    let entries = outbox.entries;
    return {
      get: () => entries,
      subscribe: (listener: () => void) =>
        outbox.on('change', () => {
          entries = outbox.entries;
          listener();
        }),
    };
  }, [outbox]);
  return useSyncExternalStore(source.subscribe, source.get);
}

function FailedRow({ write }: { readonly write: FailedEntry }) {
  const { entry, record, userMessage, retry, discard } = write;
  const conflict = conflictOf(record);
  const title = entry ? titleOf(entry) : 'A change that cannot be read';
  return (
    <li data-wrong="true">
      <p>
        <strong>{title}</strong> {entry && valuesOf(entry)}
      </p>
      {conflict && record ? (
        <ConflictNotice record={record as unknown as Model} conflict={conflict} title={nameOf(entry)} />
      ) : (
        <p role="alert">{isDataError(write.error) ? sentenceOf(write.error) : userMessage}</p>
      )}
      <span className="write-actions">
        {!conflict && (
          <button type="button" onClick={() => void retry()}>
            Send again
          </button>
        )}
        <button type="button" onClick={() => void discard()}>
          Give up
        </button>
      </span>
    </li>
  );
}

function conflictOf(record: FailedEntry['record']): ConflictError | undefined {
  const error = record?.$.error;
  return isDataError(error) && error.code === 'conflict' ? error : undefined;
}

function statusOf({
  count,
  online,
  paused,
  failed,
}: {
  readonly count: number;
  readonly online: boolean;
  readonly paused: boolean;
  readonly failed: number;
}): string {
  if (count === 0) return failed === 0 ? 'Everything that you saved is on the server.' : 'Nothing waits to be sent.';
  const changes = count === 1 ? 'One change' : `${count} changes`;
  if (!online) return `${changes} kept here, also over a reload. Sent as soon as there is a network.`;
  return paused ? `${changes} held back, until you let the outbox go on.` : `${changes} on the way.`;
}

/** The name of the record: `Order 7`. */
function nameOf({ model = 'record', id }: Partial<OutboxEntry> = {}): string {
  return `${model.charAt(0).toUpperCase()}${model.slice(1)} ${id === undefined ? '' : String(id)}`.trim();
}

const VERBS = { create: 'New', update: 'Change of', destroy: 'Erase' } as const;

function titleOf({ action, model, id }: OutboxEntry): string {
  const name = `${model}${action === 'create' || id === undefined ? '' : ` ${String(id)}`}`;
  return `${VERBS[action as keyof typeof VERBS] ?? action} ${name}`;
}

function valuesOf({ values }: OutboxEntry): string {
  return Object.entries(values ?? {})
    .map(([name, value]) => `${name}: ${value === null ? 'empty' : String(value)}`)
    .join(', ');
}

function attemptsOf({ attempts }: OutboxEntry): string {
  return attempts === 0 ? 'not sent yet' : attempts === 1 ? 'tried once' : `tried ${attempts} times`;
}
