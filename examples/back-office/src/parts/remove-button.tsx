import { useState } from 'react';

/** Removes something after a question, because nothing brings it back. */
export function RemoveButton({ disabled, onRemove }: { disabled: boolean; onRemove: () => unknown }) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <button type="button" disabled={disabled} onClick={() => setAsking(true)}>
        Remove
      </button>
    );
  }
  const remove = () => {
    setAsking(false);
    onRemove();
  };
  return (
    <span className="question">
      Remove for good?{' '}
      <button type="button" disabled={disabled} onClick={remove}>
        Yes, remove
      </button>{' '}
      <button type="button" onClick={() => setAsking(false)}>
        Keep it
      </button>
    </span>
  );
}
