import { type BoundRecord, useRecord } from 'repose/react';
import type { Customer, Order } from '../api/models';
import { Conflict } from './conflict';
import { Problem } from './problem';

interface ShownError {
  readonly code: string;
  readonly userMessage: string;
}

/** Shows what has become of the last save of a record: in flight, kept for later, refused, or met by a change of somebody else. */
export function SaveState({ record, error }: { record: Order | Customer; error: ShownError | undefined }) {
  const { conflict, errors, queued, saving, keepMine, takeTheirs }: BoundRecord<unknown> = useRecord<unknown>(record);
  const refused = Object.keys(errors);
  // Each field of these forms shows its own errors; the name '' has those of the whole record.
  const isMarked = error?.code === 'validation' && refused.length > 0 && !refused.includes('');
  return (
    <>
      <span role="status">{saving ? 'Saving' : queued ? 'Waits for the network' : ''}</span>
      {conflict ? (
        <Conflict
          error={conflict}
          onKeepMine={keepMine}
          onTakeTheirs={takeTheirs}
          onMerge={() => conflict.merge().catch(() => undefined)}
        />
      ) : (
        error && <Problem message={isMarked ? 'Please check the marked entries.' : error.userMessage} />
      )}
    </>
  );
}
