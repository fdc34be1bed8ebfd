import { AbortError } from '../errors/abort-error.js';
import type { DataError } from '../errors/data-error.js';
import type { Change as ShownChange } from '../extension/change.js';
import type { ExtensionHooks } from '../extension/hooks.js';
import type { SettledOutcome, Write, WriteAction, WrittenRecord } from '../extension/write.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { CallOptions } from './call.js';
import { capturedError, shownChange } from './captured.js';
import type { Change } from './change.js';
import type { InnerRecord } from './record.js';
import type { ReadonlyEdits } from './record-core.js';
import { modelAndId } from './record-error.js';

/** Options of a write: the options of its caller, and options that only modules of this library set. */
export type WriteOptions = NonNullable<CallOptions> & {
  /** Whether the write counts as one that has waited behind another write, although it has not. @default false */
  readonly waited?: boolean;
  /** Whether an outbox stores the write. @default true */
  readonly durable?: boolean;
  /** Whether the record was made only for this write: it is sent as it is, without validation or a copy. @default false */
  readonly explicit?: boolean;
  /** Values to write instead of the record's edits; the record keeps its edits. */
  readonly given?: ReadonlyEdits | undefined;
  /** The time of the waiting change that the write sends for a record. */
  readonly waitsAt?: ((record: InnerRecord) => number | undefined) | undefined;
  /** Called with what the write sends, as soon as it is final. A write with it reads an incomplete row first, so that it can be undone. */
  readonly captured?: ((record: InnerRecord, change: Change) => void) | undefined;
};

/** A write of one or more records, from its start until the records have settled. */
export class RecordWrite implements Write {
  readonly operation: Operation;
  repeatable: boolean = false;
  resend: boolean = false;
  isReading: boolean = false;
  outcomes: readonly SettledOutcome[] = [];
  /**
   * The change that was saved by the call of this write and that it has not sent, because it repeats an earlier write: an update sends it
   * next. An outbox that is to erase the record sets it to undefined.
   */
  follow: Change | undefined = undefined;
  /** The time of the waiting change that the write sends for a record; undefined: the write sends the record's edits. */
  waitsAt: (record: InnerRecord) => number | undefined;
  /** The change that the write sends for each record; empty until it is captured. */
  innerChanges: readonly Change[] = [];
  /** The hooks that take part in the write; undefined until it has begun. */
  hooks: ExtensionHooks | undefined = undefined;

  constructor(
    /** The records, with their internal members. */
    readonly inner: readonly InnerRecord[],
    readonly action: WriteAction,
    /** The proxy that sends the write. A repeat is sent by the proxy of the first attempt. */
    public proxy: DataProxy,
    readonly options: WriteOptions = {},
    readonly waited: boolean = false,
  ) {
    this.waitsAt = options.waitsAt ?? (() => undefined);
    this.operation = new Operation(Object.assign({}, options, { action, records: inner }));
  }

  /** The records from which the bodies are built, if they were captured. */
  captured: readonly InnerRecord[] | undefined = undefined;
  private shownChanges: { readonly of: readonly Change[]; readonly shown: readonly ShownChange[] } | undefined =
    undefined;

  get frozen(): readonly WrittenRecord[] | undefined {
    return this.captured as readonly unknown[] | undefined as Write['frozen'];
  }
  set frozen(_: unknown) {
    throw capturedError('`write.frozen`');
  }

  get changes(): readonly ShownChange[] {
    const { innerChanges } = this;
    if (this.shownChanges?.of !== innerChanges)
      this.shownChanges = { of: innerChanges, shown: Object.freeze(innerChanges.map(shownChange)) };
    return this.shownChanges.shown;
  }
  set changes(_: unknown) {
    throw capturedError('`write.changes`');
  }

  get model(): string {
    return this.inner[0]?.[MODEL].name ?? '';
  }

  get records(): readonly WrittenRecord[] {
    return this.inner as readonly unknown[] as readonly WrittenRecord[];
  }

  get repeat(): boolean {
    return this.options.repeat ?? false;
  }

  get durable(): boolean {
    return this.options.durable ?? true;
  }

  get given(): ReadonlyEdits | undefined {
    return this.options.given;
  }
}

const TAKEN_BACK = 'save-taken-back';

/** The error of a save whose change was taken back by `reject()` before it was sent. Its caller gets no error. */
export function takenBack(record: InnerRecord): AbortError {
  return new AbortError(TAKEN_BACK, modelAndId(record), { messages: record[MODEL].messages });
}

/** Whether the change of a save was taken back before it was sent. */
export function isTakenBack({ reason }: DataError): boolean {
  return reason === TAKEN_BACK;
}
