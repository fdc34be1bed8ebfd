import { Model, plain } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { useForm, useOutbox } from 'repose/react';

const outbox = new Outbox({ scope: 'user-7', storage: memoryStorage() });

class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', text: 'string' },
  proxy: { type: 'rest', url: '/api/notes', dialect: plain(), use: [outbox] },
}) {}

const note = Note.fromRow({ id: 1, text: 'Old' });

function Unsent() {
  const { queued, sending, failed, online, error, sendNow } = useOutbox(outbox);
  return (
    <aside>
      {queued + sending > 0 && (
        <p role="note">
          {online ? `${queued + sending} changes are being sent.` : `${queued} changes are kept until you are online.`}
          {online && error && (
            <button type="button" onClick={sendNow}>
              Send now
            </button>
          )}
        </p>
      )}
      {failed.map(({ key, userMessage, retry, discard }) => (
        <p key={key} role="alert">
          {userMessage}{' '}
          <button type="button" onClick={retry}>
            Send again
          </button>{' '}
          <button type="button" onClick={discard}>
            Give up
          </button>
        </p>
      ))}
    </aside>
  );
}

/** A form whose saves an outbox keeps. */
export default function Offline() {
  const { input, saving, error, dirty, submit } = useForm(note);
  const { queued } = note.$;
  return (
    <form onSubmit={submit}>
      <input aria-label="Text" {...input('text')} />
      <button type="submit">Save</button>
      <output>{saving ? 'saving' : (error?.code ?? (queued ? 'queued' : dirty ? 'edited' : 'saved'))}</output>
      <Unsent />
    </form>
  );
}
