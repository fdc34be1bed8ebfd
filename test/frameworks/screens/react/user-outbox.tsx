import { useEffect, useState } from 'react';
import { Model, plain } from 'repose';
import { indexedDbStorage, Outbox } from 'repose/outbox';
import { useRecord } from 'repose/react';

class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', text: 'string' },
  proxy: { type: 'rest', url: '/api/notes', dialect: plain() },
}) {}

/** The outbox of a user, and the models that use it; undefined until it is made. It is closed with the component, or for another user. */
function useNotesOf(user: string) {
  const [notes, setNotes] = useState<{ outbox: Outbox; Note: typeof Note }>();
  useEffect(() => {
    const Own = Note.with({ proxy: { scope: user } });
    const outbox = new Outbox({ scope: user, storage: indexedDbStorage('notes'), models: [Own] });
    setNotes({ outbox, Note: Own.with({ proxy: { use: [outbox] } }) });
    return () => {
      setNotes(undefined);
      void outbox.close();
    };
  }, [user]);
  return notes;
}

function Editor({ note }: { note: Note }) {
  const { values, queued, error, save } = useRecord(note);
  const write = () => {
    note.text = 'New';
    void save();
  };
  return (
    <>
      <button type="button" onClick={write}>
        Save
      </button>
      <output>{error?.code ?? (queued ? 'queued' : values.text)}</output>
    </>
  );
}

/** A note of whoever is signed in. */
export default function UserOutbox() {
  const [user, setUser] = useState('Ada');
  const notes = useNotesOf(user);
  const [note, setNote] = useState<Note>();
  useEffect(() => setNote(notes?.Note.fromRow({ id: 1, text: 'Old' })), [notes]);
  return (
    <>
      <h1>{notes?.outbox.scope}</h1>
      <button type="button" onClick={() => setUser('Bob')}>
        Bob
      </button>
      {note && <Editor key={note.$.key} note={note} />}
    </>
  );
}
