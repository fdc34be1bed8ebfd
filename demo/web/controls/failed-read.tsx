import { useEffect } from 'react';
import { useClient } from '../client/client-context.js';

/** Says in the place of data why it cannot be read, with a button that asks for it again. It is asked for again as soon as there is a network. */
export function FailedRead({
  message,
  retry,
}: {
  readonly message: string;
  readonly retry: (() => unknown) | undefined;
}) {
  const { network } = useClient();
  useEffect(
    () =>
      network.online.subscribe(() => {
        if (network.online.get()) retry?.();
      }),
    [network, retry],
  );
  return (
    <p className="notice" role="alert">
      {message}
      <button type="button" onClick={() => void retry?.()}>
        Try again
      </button>
    </p>
  );
}
