import type { DataError } from '../errors/data-error.js';
import type { Keeper } from '../extension/keeper.js';
import type { RecordId } from '../operation/actions.js';
import { Lane } from '../operation/lane.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import type { EventEmitter } from '../util/event-emitter.js';
import { rounded } from '../util/rounded.js';
import type { FieldDefinition } from './field-definition.js';
import type { InnerRecord } from './record.js';

/** Field values that differ from the base. */
export type Edits = Map<FieldDefinition, unknown>;

/** A read of a record that is in flight, for other callers to share. */
export interface SharedLoad {
  /** The id that it asks for. */
  readonly id: unknown;
  /** When it began, on the model's clock of reads and writes. */
  readonly startedAt: number;
  readonly operation: Operation;
  readonly promise: Promise<void>;
}

/** What a record has beyond its row. Most records never need one. */
export class RecordCore {
  phantom: boolean = false;
  erased: boolean = false;
  edits: Edits | undefined = undefined;
  /** The edits of the write in flight, or of a create that is in doubt; undefined: there is none. */
  sent: Edits | undefined = undefined;
  /** Why it is not known how the last write ended; undefined: it is. Of a phantom: its create is in doubt. */
  unconfirmed: DataError | undefined = undefined;
  /** Id that identifies a phantom until the server gives one. */
  temporaryId: RecordId | undefined = undefined;
  error: DataError | undefined = undefined;
  /** How the last write in the lane ended, for those that wait behind it. */
  failure: DataError | undefined = undefined;
  /** When fields were edited last, by name, on the model's clock of reads and writes. */
  readonly editedAt: Record<string, number> = {};
  /** When the last write settled, on the same clock. */
  settledAt: number = 0;
  /** When the create settled, on the same clock. */
  created: number = 0;
  /** Whether the row lacks members that the server has. */
  incomplete: boolean = false;
  /** The save that waits in the lane, for others to join. */
  waiting: Promise<Operation> | undefined = undefined;
  /** The read in flight that later callers share. */
  loading: SharedLoad | undefined = undefined;
  /** The new records that it refers to, where somebody is to keep them. */
  parents: readonly InnerRecord[] | undefined = undefined;
  /** The record whose create this one waits for. */
  waitsFor: InnerRecord | undefined = undefined;
  /** The erase that is under way. */
  erasing: Promise<Operation> | undefined = undefined;
  key: string | undefined = undefined;
  /** The outbox that keeps its writes until they are answered. */
  keeper: Keeper | undefined = undefined;
  /** Whether extensions are yet to hear how the write under way has settled. */
  isTold: boolean = false;
  events: EventEmitter<Record<string, unknown>> | undefined = undefined;
  /** What `record.$` is. */
  state: unknown = undefined;
  /** Those of requests in flight. */
  controllers: Set<AbortController> | undefined = undefined;
  /** The edits of a create that may be sent again, as they were when it was first sent. */
  declare createEdits?: Edits | undefined;
  /** The temporary id that such a create was first sent with, where the record has another one by now. */
  declare createId?: RecordId | undefined;
  /** What extensions keep of it, by their names. */
  declare slots?: Map<string, object>;
  /** The proxy by which a create was sent that is in doubt. */
  declare sentBy?: DataProxy | undefined;
  /** Values for the templates of its address, where it has no id: its proxy is a `singleton`. */
  declare pathParams?: Readonly<Record<string, unknown>>;
  /** What the edits started from, where an outbox read `row` since, which nobody else has seen. */
  declare startedFrom?: { readonly row: Readonly<Data>; readonly base: Readonly<Data> };
  /** Called when it is decided what the next update sends: whoever may have to undo it keeps what the record is at that moment. */
  declare willSend?: (() => void) | undefined;
  /**
   * Fields whose value on the server is not known, because an update that sent them got no clear answer: setting such a field is an
   * edit, even to the base value. By field, when the update failed, on the model's clock of reads and writes.
   */
  declare unconfirmedFields?: Map<FieldDefinition, number> | undefined;
  /** Values with rounded numbers, by the edited ones that they are made of: getters give the same object until the next edit. */
  private roundedEdits: WeakMap<object, unknown> | undefined = undefined;
  // Made when it is first needed: a thousand edits are no thousand requests.
  private queue: Lane | undefined = undefined;

  /** An edited value as getters give it. */
  withRoundedNumbers(field: FieldDefinition, edited: unknown): unknown {
    if (typeof edited !== 'object' || edited === null || field.embedding) return edited;
    if (this.roundedEdits?.has(edited)) return this.roundedEdits.get(edited);
    this.roundedEdits ??= new WeakMap();
    const value = rounded(edited);
    this.roundedEdits.set(edited, value);
    return value;
  }

  /** Notes that an update which sent these fields may have been done. */
  markFieldsUnconfirmed(fields: Iterable<FieldDefinition>, at: number): void {
    for (const field of fields) if (field.persist) (this.unconfirmedFields ??= new Map()).set(field, at);
  }

  /** Notes that an answer shows the server's values of fields. The answer to a request that started before an update failed does not. */
  confirmFields(isShown: (field: FieldDefinition) => boolean, startedAt: number = Number.POSITIVE_INFINITY): void {
    for (const [field, at] of this.unconfirmedFields ?? [])
      if (at <= startedAt && isShown(field)) this.unconfirmedFields?.delete(field);
  }

  get lane(): Lane {
    return (this.queue ??= new Lane());
  }

  /** Whether a write is in flight or waits. */
  get busy(): boolean {
    return this.queue?.busy ?? false;
  }

  /**
   * Whether a write is yet to settle, or waits to be sent. Of an erased record nothing is sent any more, whatever still waits.
   */
  get saving(): boolean {
    return !this.erased && (this.queue?.pending ?? false);
  }

  /** Notes that the write in flight has settled. Where extensions hear of that, it is over when they have taken it in. */
  settleLane(): void {
    if (!this.isTold) this.queue?.settle();
  }
}
