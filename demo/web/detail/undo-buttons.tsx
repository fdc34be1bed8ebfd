import { historyOf } from 'repose/history';
import { useClient, useValue } from '../client/client-context.js';
import { sentenceOf } from '../client/sentences.js';
import { ShowCode } from '../code/show-code.js';
import text from './undo-buttons.tsx?raw';

/** Takes back what this person did last, saved or not, and does it again. */
export function UndoButtons() {
  // #region undo
  const history = historyOf(useClient().session);
  const { canUndo, canRedo, running, error } = useValue(history.state);
  const undo = () => void history.undo().catch(() => undefined);
  const redo = () => void history.redo().catch(() => undefined);
  // #endregion
  return (
    <>
      <button type="button" disabled={!canUndo || running} onClick={undo}>
        Undo
      </button>
      <button type="button" disabled={!canRedo || running} onClick={redo}>
        Redo
      </button>
      <ShowCode
        title="Undo of what was saved, and of what was not"
        parts={[{ file: 'detail/undo-buttons.tsx', text, region: 'undo' }]}
      />
      {error && (
        <p className="notice undo-failure" role="alert">
          {sentenceOf(error)}
          <button type="button" onClick={() => history.clear()}>
            Leave it as it is
          </button>
        </p>
      )}
    </>
  );
}
