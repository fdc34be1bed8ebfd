import { useEffect, useId, useRef, useState } from 'react';
import type { ConflictError, Model, ModelType } from 'repose';
import { useClient, useValue } from '../client/client-context.js';
import { sentenceOf } from '../client/sentences.js';
import { ShowCode } from '../code/show-code.js';
import { type ComparedField, compare, type NameOf, type Side } from './compare.js';
import compareText from './compare.ts?raw';
import text from './conflict-dialog.tsx?raw';

/** A record that somebody else has changed meanwhile, the conflict of its write, and the function that is told how it has ended. */
interface ConflictProps {
  readonly record: Model;
  readonly conflict: ConflictError;
  /** The name of the record on the screen. */
  readonly title: string;
  /** Called with a sentence once the conflict is over. */
  readonly onEnd?: (sentence: string) => void;
}

/** Says that somebody else was faster, and opens the comparison. */
export function ConflictNotice(props: ConflictProps) {
  const { conflict, title } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="notice" role="alert">
      {conflict.gone
        ? `${title} was erased by somebody else. Your edits are kept here.`
        : `${title} was changed by somebody else. Your edits are kept; nothing was overwritten.`}
      <button type="button" className="primary" onClick={() => setOpen(true)}>
        Compare
      </button>
      {isOpen && <ConflictDialog {...props} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** Shows both sides of a conflict field by field, and ends it: with mine, with theirs, or with both together. */
export function ConflictDialog({
  record,
  conflict,
  title,
  onEnd,
  onClose,
}: ConflictProps & { readonly onClose: () => void }) {
  const { session, auth } = useClient();
  const isAsking = useValue(auth.state) === 'asking';
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [fields, setFields] = useState<readonly ComparedField[]>();
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  // It would cover the question for a sign-in, without which it cannot go on.
  useEffect(() => {
    if (isAsking) dialog.current?.close();
  }, [isAsking]);

  // #region resolve
  useEffect(() => {
    let isCurrent = true;
    const nameOf: NameOf = (model, id) => {
      const referred = id === null ? undefined : session.getById(model as ModelType<Model>, id as number);
      return (referred as { readonly name?: string } | undefined)?.name ?? id;
    };
    compare(record, conflict, nameOf).then(
      (compared) => {
        if (!isCurrent) return;
        setFields(compared);
        setFailure(undefined);
      },
      (error: unknown) => isCurrent && setFailure(sentenceOf(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [record, conflict, session]);

  const keepMine = () => end('Your version was saved.', () => conflict.keepMine());
  const takeTheirs = () => end('You have taken the version of the server.', async () => conflict.takeTheirs());
  const merge = () =>
    end('Both versions were merged and saved.', () =>
      conflict.merge(({ field, mine, theirs }) => (chosen[field] === 'mine' ? mine : theirs)),
    );
  // #endregion

  const end = async (sentence: string, action: () => Promise<void>) => {
    setBusy(true);
    try {
      await action();
      onEnd?.(sentence);
      onClose();
    } catch (error) {
      // A newer conflict comes as another `conflict`, and is compared anew.
      setFailure(sentenceOf(error));
    } finally {
      setBusy(false);
    }
  };

  const open = fields?.filter(({ bothChanged, name }) => bothChanged && !chosen[name]) ?? [];
  return (
    <dialog ref={dialog} className="conflict" aria-labelledby={heading} onClose={onClose} aria-busy={isBusy}>
      <header className="code-top">
        <h3 id={heading}>{title}: two versions</h3>
        <ShowCode
          title="A conflict, field by field"
          parts={[
            { file: 'conflict/conflict-dialog.tsx', text, region: 'resolve' },
            { file: 'conflict/compare.ts', text: compareText, region: 'compare' },
          ]}
        />
        <button type="button" onClick={() => dialog.current?.close()}>
          Decide later
        </button>
      </header>
      {conflict.gone ? (
        <p className="conflict-text">
          Somebody has erased it, so that your edits cannot be saved. Decide later if you want to copy them first.
        </p>
      ) : fields ? (
        <div className="conflict-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Before</th>
                <th scope="col">Mine</th>
                <th scope="col">Theirs</th>
              </tr>
            </thead>
            <tbody>
              {fields.map((field) => (
                <FieldRow
                  key={field.name}
                  field={field}
                  chosen={chosen[field.name]}
                  onChoose={(side) => setChosen({ ...chosen, [field.name]: side })}
                />
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <p className="conflict-text" aria-busy={failure === undefined}>
          {failure === undefined ? 'Reading the version of the server' : ''}
        </p>
      )}
      {failure !== undefined && (
        <p className="notice" role="alert">
          {failure}
        </p>
      )}
      <footer className="conflict-actions">
        <p className="conflict-hint" role="status">
          {open.length > 0 ? `Choose one side of ${open.map(({ label }) => label).join(', ')}.` : ''}
        </p>
        <button type="button" disabled={isBusy} onClick={takeTheirs}>
          {conflict.gone ? 'Let it go' : 'Take theirs'}
        </button>
        {!conflict.gone && (
          <>
            <button type="button" disabled={isBusy} onClick={keepMine}>
              Keep mine
            </button>
            <button type="button" className="primary" disabled={isBusy || !fields || open.length > 0} onClick={merge}>
              Merge and save
            </button>
          </>
        )}
      </footer>
    </dialog>
  );
}

function FieldRow({
  field,
  chosen,
  onChoose,
}: {
  readonly field: ComparedField;
  readonly chosen: Side | undefined;
  readonly onChoose: (side: Side) => void;
}) {
  const { name, label, base, mine, theirs, bothChanged, changedBy } = field;
  const cell = (side: Side, value: string) => {
    const isTaken = bothChanged ? chosen === side : changedBy === side;
    return (
      <td data-taken={isTaken}>
        {bothChanged ? (
          <label>
            <input type="radio" name={name} checked={isTaken} onChange={() => onChoose(side)} /> {value}
          </label>
        ) : (
          value
        )}
      </td>
    );
  };
  return (
    <tr>
      <th scope="row">{label}</th>
      <td className="quiet">{base}</td>
      {cell('mine', mine)}
      {cell('theirs', theirs)}
    </tr>
  );
}
