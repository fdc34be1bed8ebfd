import { useEffect, useState } from 'react';
import type { ConflictError, FieldConflict } from 'repose';

/** Shows what somebody else has changed, and lets the user choose. */
export function Conflict(props: {
  error: ConflictError;
  onKeepMine: () => unknown;
  onTakeTheirs: () => unknown;
  onMerge: () => unknown;
}) {
  const { error, onKeepMine, onTakeTheirs, onMerge } = props;
  const [fields, setFields] = useState<readonly FieldConflict[]>([]);
  useEffect(() => {
    // Without a connection, the choice is offered without the values.
    error.inspect().then(setFields, () => setFields([]));
  }, [error]);
  const differing = fields.filter(({ mine, theirs }) => JSON.stringify(mine) !== JSON.stringify(theirs));
  return (
    <section role="alert" aria-label="Conflict">
      <p>{error.userMessage}</p>
      <table>
        <thead>
          <tr>
            <th>Field</th>
            <th>Yours</th>
            <th>Theirs</th>
          </tr>
        </thead>
        <tbody>
          {differing.map(({ field, mine, theirs }) => (
            <tr key={field}>
              <td>{field}</td>
              <td>{JSON.stringify(mine)}</td>
              <td>{JSON.stringify(theirs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" onClick={onMerge}>
        Merge
      </button>
      <button type="button" onClick={onKeepMine}>
        Keep mine
      </button>
      <button type="button" onClick={onTakeTheirs}>
        Take theirs
      </button>
    </section>
  );
}
