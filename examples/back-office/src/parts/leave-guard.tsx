import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { type BoundRecord, useRecord } from 'repose/react';
import type { Customer, Order } from '../api/models';

/** Asks before a page with unsaved changes is left: by a link, by "back", by signing out, or by closing the tab. */
export function LeaveGuard({ record, onDiscard }: { record: Order | Customer; onDiscard: () => void }) {
  const { dirty, saving, queued }: BoundRecord<unknown> = useRecord<unknown>(record);
  const isUnsaved = dirty || saving;
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isUnsaved && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
  if (blocker.state !== 'blocked') return null;
  return (
    <Question
      isUnsaved={isUnsaved}
      saving={saving}
      onStay={blocker.reset}
      onLeave={blocker.proceed}
      // An earlier save that the outbox keeps is not discarded: to reject the record would take it back as well.
      onDiscard={queued || saving ? undefined : onDiscard}
    />
  );
}

function Question(props: {
  isUnsaved: boolean;
  saving: boolean;
  onStay: () => void;
  onLeave: () => void;
  onDiscard: (() => void) | undefined;
}) {
  const { isUnsaved, saving, onStay, onLeave, onDiscard } = props;
  useEffect(() => {
    // The edits were discarded, or their save has ended well while the question was open.
    if (!isUnsaved) onLeave();
  }, [isUnsaved, onLeave]);
  return (
    <dialog open aria-label="Unsaved changes">
      <p>{saving ? 'The changes are being saved.' : 'There are unsaved changes.'}</p>
      <button type="button" onClick={onStay}>
        Stay
      </button>
      <button type="button" onClick={onDiscard ?? onLeave}>
        {saving ? 'Leave' : 'Discard them'}
      </button>
    </dialog>
  );
}
