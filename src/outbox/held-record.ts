import type { ConflictError } from '../errors/conflict-error.js';
import type { DataError } from '../errors/data-error.js';
import type { InnerRecord } from '../model/record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { KnownChanges } from './known-changes.js';
import type { OutboxError } from './outbox-error.js';
import { isUnanswered, type LoggedChange, type StoredChange } from './stored-change.js';

/** How a record looks to its owners, and the records that show it. `stuck`: its changes wait for a decision of the application. */
interface Told {
  readonly look: 'nothing' | 'queued' | 'stuck';
  readonly records: readonly InnerRecord[];
}

const NOTHING_TOLD: Told = { look: 'nothing', records: [] };

/** An empty map that records share: nearly none of thousands of them has anything to put in. */
const NOTHING: ReadonlyMap<number, never> = new Map<number, never>();

/** The stored changes of one record, as this tab has read them last, and what the tab knows about sending them. */
export class HeldRecord {
  /** The names under which the storage keeps the changes: the key of a new record, and its model and id once it has one. */
  readonly names: Set<string> = new Set();
  /** All names by which the log finds the record. */
  readonly labels: Set<string> = new Set();
  /** The stored changes in their order. */
  changes: readonly LoggedChange[] = [];
  /** The items that cannot be read, by their keys. Nothing of the record is sent meanwhile. */
  unreadable: ReadonlyMap<number, OutboxError> = NOTHING;
  /** The changes that the records of this page have saved and shown. */
  readonly known: KnownChanges = new KnownChanges();
  /** The record that shows the changes, once there is one. */
  record: InnerRecord | undefined = undefined;
  /** The look that was told last. */
  told: Told = NOTHING_TOLD;
  /** The proxy through which the record was saved in this page. */
  proxy: DataProxy | undefined = undefined;
  /** The outcomes up to this place are known. */
  place = 0;
  /** When the changes are to be sent again, in milliseconds since 1970. */
  dueAt = 0;
  /** The wait after the last failure, in milliseconds. */
  wait = 0;
  /** The number of failed attempts in this process. */
  failures = 0;
  /** The number of failed attempts that the server has answered. */
  refusals = 0;
  /**
   * When this page was last told how an attempt has ended, on the model's clock of reads and writes; infinite until the call of an attempt that
   * has ended is told.
   */
  endedAt = 0;
  /** The attempt of the outbox to send the changes; undefined: the outbox is not sending them. */
  sending: Promise<void> | undefined = undefined;
  /** Whether the end of the last attempt was stored. */
  isHandled = false;
  /** Whether the changes are sent again at once if the attempt in flight fails. */
  retryAtOnce = false;
  /** Whether the application has decided a conflict about the row that the record has. */
  isDecided = false;
  /** The number of writes in progress that send changes of the record. */
  activeWrites = 0;
  /** The number of changes that are being stored, and of decisions that are being made. */
  changing = 0;
  /** The number of erases that are being stored. */
  addingErases = 0;
  /** The changes that are in flight. */
  running: readonly LoggedChange[] = [];
  /** The key of the last change of which a rejected save has told that it is kept; 0: none. */
  keptUpTo = 0;
  /** The error of the last attempt in this process. */
  error: DataError | undefined = undefined;
  /** The error of a conflict that another page or process was told, as the record shows it. */
  conflict: ConflictError | undefined = undefined;

  constructor(
    /** The name that this record has in the outbox. */
    readonly name: string,
    readonly model: string,
    /** The record's `$.key`. */
    readonly key: string,
  ) {
    this.names.add(name);
  }

  /** Forgets the items that cannot be read, but for those that pass a test. */
  keepUnreadable(isKept: (key: number) => boolean): void {
    if (this.unreadable.size === 0) return;
    const left = [...this.unreadable].filter(([key]) => isKept(key));
    this.unreadable = left.length > 0 ? new Map(left) : NOTHING;
  }

  /** Makes the changes due now, as if they had not failed: they were sent, or the application has decided. */
  startAfresh(): void {
    Object.assign(this, { dueAt: 0, failures: 0, refusals: 0, error: undefined });
  }

  /** The first stored change; undefined: none can be read. */
  get first(): StoredChange | undefined {
    return this.changes[0]?.change;
  }

  /** Whether nothing is stored of the record. */
  get isEmpty(): boolean {
    return this.changes.length + this.unreadable.size === 0;
  }

  /** Whether nothing is stored of the record, nor is being stored: no record has to show it. */
  get isUnused(): boolean {
    return this.isEmpty && this.changing === 0;
  }

  /** Whether the create was sent and has no response: the server may have the record. */
  get hasSentCreate(): boolean {
    return this.changes.some((each) => each.change.action === 'create' && isUnanswered(each));
  }

  /** Whether an erase of the record is stored, queued or refused. */
  get hasErase(): boolean {
    return this.changes.some(({ change }) => change.action === 'destroy');
  }

  /** Whether only an erase that was refused keeps the changes from being sent. */
  get hasRefusedErase(): boolean {
    return this.hasErase && !this.erases;
  }

  /** Whether the record is to be erased without a decision of the application. */
  get erases(): boolean {
    return this.changes.some(({ change, progress }) => change.action === 'destroy' && progress.state !== 'refused');
  }
}
