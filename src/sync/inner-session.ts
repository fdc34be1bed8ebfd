import type { Model } from '../model/model.js';
import type { PendingRecords } from '../store/pending-changes.js';
import type { SyncSource } from '../store/sync-job.js';
import type { Session } from './session.js';
import type { SessionFeed } from './session-feed.js';
import type { SharedRecords } from './shared-records.js';

/** The recorded steps of a session. */
export interface RecordedSteps {
  /** Begins to record the steps of a fork, with the same options. */
  ofFork(fork: InnerSession): RecordedSteps;
  /** The session has ended. */
  end(): void;
}

/** The members of a session for what follows it from outside: forks, changes as data, a history. */
export interface InnerSession {
  readonly records: SharedRecords;
  readonly statusFeed: SessionFeed;
  /** The steps of its history, which end with it; undefined: nobody has asked for it. */
  steps: RecordedSteps | undefined;
  readonly pending: PendingRecords<Model>;
  /** The session as a source of pending changes, for a `sync()`. */
  syncSource(): SyncSource<Model>;
}

/** The members of a session for what follows it from outside. */
export function innerSession(session: Session): InnerSession {
  return session as unknown as InnerSession;
}
