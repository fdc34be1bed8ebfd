import { useCallback, useSyncExternalStore } from 'react';
import { isDataError } from 'repose';
import type { useRecord } from 'repose/react';

/** A record of any model, with its state. */
export type Queueable = Parameters<typeof useRecord>[0];

/** Whether a write is kept in the outbox, which sends it by itself. */
export function isQueued({ error }: { readonly error?: unknown }): boolean {
  return isDataError(error) && 'queued' in error && error.queued === true;
}

/** The number of these records of which the outbox still keeps a write. What a sentence says of the others is over. */
export function useQueued(records: readonly Queueable[]): number {
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = records.map((record) => record.$.state.subscribe(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    [records],
  );
  return useSyncExternalStore(subscribe, () => records.filter((record) => record.$.state.get().queued).length);
}
