import { useOutbox } from 'repose/react';
import { useApi } from './api-context';

/** How many changes wait for the network, and those that the server has refused since. */
export function Waiting() {
  const { outbox } = useApi();
  const { queued, failed, online, sendNow } = useOutbox(outbox);
  return (
    <>
      {!online && <span role="note">Offline</span>}
      {queued > 0 && (
        <button type="button" className="badge" onClick={sendNow}>
          {queued} waiting
        </button>
      )}
      {failed.map(({ key, userMessage, retry, discard }) => (
        <p key={key} role="alert">
          {userMessage}{' '}
          <button type="button" onClick={retry}>
            Send again
          </button>
          <button type="button" onClick={discard}>
            Give up
          </button>
        </p>
      ))}
    </>
  );
}
