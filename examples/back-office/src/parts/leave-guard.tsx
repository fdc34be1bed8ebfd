import { useEffect } from 'react';
import { useBlocker } from 'react-router';

/** Asks before a page with unsaved changes is left: by a link, by "back", or by closing the tab. */
export function LeaveGuard({ dirty, onDiscard }: { dirty: boolean; onDiscard: () => void }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!dirty) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [dirty]);
  if (blocker.state !== 'blocked') return null;
  const leave = () => {
    onDiscard();
    blocker.proceed();
  };
  return (
    <dialog open aria-label="Unsaved changes">
      <p>There are unsaved changes.</p>
      <button type="button" onClick={blocker.reset}>
        Stay
      </button>
      <button type="button" onClick={leave}>
        Discard them
      </button>
    </dialog>
  );
}
