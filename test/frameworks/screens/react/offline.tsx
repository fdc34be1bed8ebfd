import { Model, plain } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { useForm, useStatus } from 'repose/react';

const outbox = new Outbox({ scope: 'user-7', storage: memoryStorage() });

class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', text: 'string' },
  proxy: { type: 'rest', url: '/api/notes', dialect: plain(), use: [outbox] },
}) {}

const note = Note.fromRow({ id: 1, text: 'Old' });

/** A form whose saves an outbox keeps. */
export default function Offline() {
  const { input, saving, error, dirty, submit } = useForm(note);
  const { waiting } = useStatus(outbox);
  const { queued } = note.$;
  return (
    <form onSubmit={submit}>
      <input aria-label="Text" {...input('text')} />
      <button type="submit">Save</button>
      <output>{saving ? 'saving' : (error?.code ?? (queued ? 'queued' : dirty ? 'edited' : 'saved'))}</output>
      <p role="note">{waiting} waiting</p>
    </form>
  );
}
