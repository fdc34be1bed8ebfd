import type { RecordSnapshot } from '../model/record-sources.js';
import type { Shown } from '../store/shown.js';
import type { Source } from '../util/value-source.js';
import { recordIn } from './hook-arguments.js';
import { withActions } from './owned.js';
import { reportMistake } from './report-mistake.js';

/** How a write has ended: on the server, in an outbox that sends it by itself, or not at all. */
export type WriteOutcome = 'saved' | 'queued' | false;

/** The writes of a record for the listeners of buttons. They never reject: `error` of the record says why one has failed. */
export interface RecordActions {
  /** Saves the edits. Without edits nothing is sent, but for a new record. */
  readonly save: () => Promise<WriteOutcome>;
  /** Drops the edits, as `record.reject()` does. */
  readonly reject: () => void;
  /** Erases the record, on the server too. */
  readonly erase: () => Promise<WriteOutcome>;
  /** Decides a conflict for the edits: saves them over what the server has. Without a conflict nothing is done. */
  readonly keepMine: () => Promise<WriteOutcome>;
  /** Decides a conflict for the server: drops the edits of the fields that it has changed. Without a conflict nothing is done. */
  readonly takeTheirs: () => Promise<WriteOutcome>;
}

/** A record as a screen shows it, with its writes. Frozen. */
export type BoundRecord<V> = RecordSnapshot<V> & RecordActions;

/**
 * Makes the source of a record with its writes. A mistake of the program, which no record shows, is reported as an error that nobody has caught.
 * Throws `DefinitionError` for a value that is no record.
 */
export function recordSource<V>(record: Shown<V>): Source<BoundRecord<V>> {
  const { state } = recordIn(record).$;
  const end = async (write: Promise<unknown>): Promise<WriteOutcome> => {
    try {
      await write;
      return 'saved';
    } catch (error) {
      const { queued } = error as { readonly queued?: boolean };
      if (queued) return 'queued';
      if (state.get().error !== error) reportMistake(error);
      return false;
    }
  };
  const decide = async (decision: 'keepMine' | 'takeTheirs'): Promise<WriteOutcome> => {
    const { conflict } = state.get();
    // Without `conflicts()` the error of the save cannot decide, and throws at once.
    return conflict ? end((async () => conflict[decision]())()) : false;
  };
  return withActions(state, {
    save: () => end(record.save()),
    reject: () => record.reject(),
    erase: () => end(record.erase()),
    keepMine: () => decide('keepMine'),
    takeTheirs: () => decide('takeTheirs'),
  });
}
