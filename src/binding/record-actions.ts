import type { RecordSnapshot } from '../model/record-sources.js';
import type { Shown } from '../store/shown.js';
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

/** A record as a screen shows it, with its writes. */
export type BoundRecord<V> = RecordSnapshot<V> & RecordActions;

/**
 * Makes the writes of a record for a screen. A mistake of the program, which no record shows, is reported as an error that nobody has
 * caught.
 */
export function recordActions(record: Shown<unknown>): RecordActions {
  const end = async (write: Promise<unknown>): Promise<WriteOutcome> => {
    try {
      await write;
      return 'saved';
    } catch (error) {
      const { queued } = error as { readonly queued?: boolean };
      if (queued) return 'queued';
      if (record.$.state.get().error !== error) reportMistake(error);
      return false;
    }
  };
  const decide = async (decision: 'keepMine' | 'takeTheirs'): Promise<WriteOutcome> => {
    const { conflict } = record.$.state.get();
    // Without `conflicts()` the error of the save cannot decide, and throws at once.
    return conflict ? end((async () => conflict[decision]())()) : false;
  };
  return {
    save: () => end(record.save()),
    reject: () => record.reject(),
    erase: () => end(record.erase()),
    keepMine: () => decide('keepMine'),
    takeTheirs: () => decide('takeTheirs'),
  };
}
