import type { ExtensionHooks } from '../extension/hooks.js';
import type { SettledOutcome, Write, WriteAction, WrittenRecord } from '../extension/write.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { CallOptions } from './call.js';
import type { InnerRecord } from './record.js';
import type { Edits } from './record-core.js';

/** Options of a write, those of its caller and those that only other modules of this library set. */
export type WriteOptions = NonNullable<CallOptions> & {
  /** Whether it counts as one that stood behind another write, though it did not. @default false */
  readonly waited?: boolean;
  /** Whether an outbox keeps it. @default true */
  readonly durable?: boolean;
  /** Whether its record was made for it: it is sent as it is, neither checked nor copied. @default false */
  readonly explicit?: boolean;
  /** Values that are written in the place of the record's edits, which stay edits. */
  readonly edits?: Edits | undefined;
};

/** A write on its way. */
export class RecordWrite implements Write {
  readonly operation: Operation;
  repeatable: boolean = false;
  resend: boolean = false;
  isReading: boolean = false;
  frozen: readonly WrittenRecord[] | undefined = undefined;
  outcomes: readonly SettledOutcome[] = [];
  follow: 'update' | 'destroy' | undefined = undefined;
  /** The hooks that take part in it, once it has begun. */
  hooks: ExtensionHooks | undefined = undefined;

  constructor(
    /** The records from inside. */
    readonly inner: readonly InnerRecord[],
    readonly action: WriteAction,
    readonly proxy: DataProxy,
    readonly options: WriteOptions = {},
    readonly waited: boolean = false,
  ) {
    this.operation = new Operation(Object.assign({}, options, { action, records: inner }));
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

  get isCopy(): boolean {
    return this.options.edits !== undefined;
  }
}
