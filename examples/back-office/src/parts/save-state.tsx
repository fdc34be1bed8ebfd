import { type BoundRecord, useRecord } from 'repose/react';
import type { Customer, Order } from '../api/models';
import { Conflict } from './conflict';
import { Problem } from './problem';

/** Shows what has become of the last save of a record: in flight, kept for later, refused, or met by a change of somebody else. */
export function SaveState({ record, error }: { record: Order | Customer; error: { userMessage: string } | undefined }) {
  const { conflict, queued, saving, keepMine, takeTheirs }: BoundRecord<unknown> = useRecord<unknown>(record);
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
        error && <Problem message={error.userMessage} />
      )}
    </>
  );
}
