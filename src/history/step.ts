import type { FieldDefinition } from '../model/field-definition.js';
import type { InnerRecord } from '../model/record.js';
import type { SharingStore } from '../store/sharing.js';
import type { Data } from '../util/data-path.js';
import { sealed } from '../util/values.js';
import type { HistoryChange, HistoryStep } from './session-history.js';

/** Whether a session shows a record. A removed record that is saved waits for its erase. */
export type Presence = 'absent' | 'present' | 'removed';

/** A place of a record in a store. */
export interface Place {
  readonly store: WeakRef<SharingStore>;
  /** Its rank among the records of the store; undefined: it was on no page. */
  readonly rank: number | undefined;
}

/** A record of which steps tell something. Another object may take its place: a duplicate, or the record that undoes an erase. */
export interface Subject {
  record: InnerRecord;
  /** The changes of all steps, the latest last. */
  readonly ops: Op[];
  /** The store that held the record last. */
  store: WeakRef<SharingStore> | undefined;
  /** The row that the last write of the record has left. */
  ownRow: Readonly<Data> | undefined;
  /** The edits whose values the write in flight has sent. */
  readonly sent: Map<FieldDefinition, EditOp>;
  /** Names of the model and ids that the record had before its erase was undone. */
  readonly formerIds: string[];
}

/** The value of a field at one moment. */
export interface FieldValue {
  /** Whether the value is an edit, and not that of the row. */
  readonly isEdit: boolean;
  /** The value with all its digits; of embedded records their JSON form. */
  readonly value: unknown;
}

/** A raw value of a row, once it is known that the server has it. */
export interface KnownRaw {
  readonly raw: unknown;
}

interface AnyOp {
  subject: Subject;
  readonly step: Step;
  /** Whether it was undone by a write, so that a write does it again. */
  isWritten: boolean;
}

/** The edit of a field. */
export interface EditOp extends AnyOp {
  readonly kind: 'edit';
  readonly field: FieldDefinition;
  before: FieldValue;
  after: FieldValue;
  /** The value that the server has if the edit is undone by a write. */
  rawBefore: KnownRaw | undefined;
  /** The value that the server has if the edit was saved. */
  rawAfter: KnownRaw | undefined;
  /** Whether its last value was not saved when it was undone, so that doing it again writes nothing. */
  isUnsaved: boolean;
  /** Whether a write has sent its value, or an outbox keeps it. */
  isSent: boolean;
  /**
   * How its value has become that of the row although nothing of it was sent, so that its opposite is not sent either: by `commit()`, or because
   * somebody else has given the field the same value.
   */
  landed: 'commit' | 'theirs' | undefined;
}

/** A record came or went. */
export interface PlaceOp extends AnyOp {
  readonly kind: 'place';
  readonly from: Presence;
  readonly to: Presence;
  places: readonly Place[];
  /** The record that was erased, in whose place a new one was made. */
  erased: InnerRecord | undefined;
}

export type Op = EditOp | PlaceOp;

/** The states of a step. `running`: it is being undone or done again. */
type StepState = 'done' | 'undone' | 'running' | 'forgotten';

/** A step of the user. */
export class Step {
  readonly ops: Set<Op> = new Set();
  state: StepState = 'done';
  /** Whether it is undone while it runs, and not done again. */
  isUndoing = false;
  /** Whether an edit was taken back: that is another step than the edit. */
  takesBack = false;
  /** Whether something was written since, so that later edits of the same field are another step. */
  isSealed = false;
  /** Whether all steps were forgotten while it ran. */
  isCleared = false;
  private view: HistoryStep | undefined = undefined;

  constructor(
    readonly label: string | undefined,
    public at: number,
    /** Counts the steps of a history in the order in which they were begun. */
    readonly number: number,
  ) {}

  add(op: Op): void {
    this.ops.add(op);
    op.subject.ops.push(op);
    this.changed();
  }

  delete(op: Op): void {
    this.ops.delete(op);
    const { ops } = op.subject;
    const at = ops.lastIndexOf(op);
    if (at >= 0) ops.splice(at, 1);
    this.changed();
  }

  changed(): void {
    this.view = undefined;
  }

  /** The edits before those of this step are over what this step has saved, from now on: somebody else may have changed that. */
  leaveSaved(): void {
    for (const op of this.ops) {
      if (op.kind !== 'edit' || !op.rawAfter) continue;
      const { ops } = op.subject;
      const before = ops.slice(0, ops.indexOf(op)).findLast((each) => each.kind === 'edit' && each.field === op.field);
      if (before?.kind === 'edit' && before.step.state === 'done') before.rawAfter ??= op.rawAfter;
    }
  }

  /** Lets go of the records. */
  forget(): void {
    this.state = 'forgotten';
    for (const op of [...this.ops]) this.delete(op);
  }

  /** The step as a screen shows it: the same object until the step changes. */
  toView(): HistoryStep {
    const { label, at, ops } = this;
    return (this.view ??= Object.freeze({ label, at, changes: Object.freeze([...ops].map(changeOf)) }));
  }
}

function changeOf(op: Op): HistoryChange {
  const { record } = op.subject;
  if (op.kind === 'place') {
    const added = op.from === 'removed' ? 'restore' : 'add';
    return Object.freeze({ kind: op.to === 'present' ? added : 'remove', record });
  }
  const { field, before, after } = op;
  return Object.freeze({ kind: 'edit', record, field: field.name, before: shown(op, before), after: shown(op, after) });
}

function shown({ field }: EditOp, { value }: FieldValue): unknown {
  return field.embedding ? value : sealed(value);
}
