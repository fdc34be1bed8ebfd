import { StateError } from '../errors/mistakes.js';
import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import { keyOf } from '../model/parts/wire-values.js';
import { coreOf, type InnerRecord, inner, withWritten, writeEdits } from '../model/record.js';
import { recordError } from '../model/record-error.js';
import { isOwner } from '../model/record-owner.js';
import {
  changeOfAttempt,
  markIncomplete,
  nextTime,
  restoreTemporaryId,
  settleErased,
  settleRead,
  settleSaved,
} from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import { MODEL } from '../operation/operation-record.js';
import { type Data, writePath } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { shownRow } from './session-changes.js';
import type { SharedRecords } from './shared-records.js';

/** The original of a copy, and what it showed when it was copied. */
interface Pair {
  readonly original: InnerRecord;
  shown: Data;
}

/** The records of a fork that are copies of records of its parent. A record is copied when it is first asked for. */
export class Copies {
  /** By the copies, which hold their originals. */
  private readonly pairs: WeakMap<InnerRecord, Pair> = new WeakMap();
  /** By the originals. */
  private readonly copies: WeakMap<InnerRecord, WeakRef<InnerRecord>> = new WeakMap();
  /** Copies of records that were new: a removed one is in no list of the fork any more. */
  private newCopies: Set<InnerRecord> = new Set();

  constructor(
    private readonly own: SharedRecords,
    private readonly parent: SharedRecords,
  ) {}

  pairOf(copy: InnerRecord): Pair | undefined {
    return this.pairs.get(copy);
  }

  /** The copy of the record that the parent shows under an id; undefined: the parent has none, or its copy was removed. */
  find(model: ModelType<Model>, id: unknown): Model | undefined {
    const original = this.parent.ofModel(model).find(id);
    if (!original || this.parent.isHidden(original)) return undefined;
    const copy = this.copyOf(inner(original));
    return isOwner(inner(copy), this.own) ? copy : undefined;
  }

  /** The copy of a record of the parent. Throws `StateError` for a record that the parent does not have. */
  copyOf(original: InnerRecord): Model {
    const known = this.copies.get(original)?.deref();
    if (known) {
      this.followCreate(known);
      return known;
    }
    if (isOwner(original, this.own)) return original;
    if (!this.canCopy(original)) throw recordError(original, 'foreign', 'fork-foreign');
    const row = shownRow(original);
    const copy = inner((original.constructor as typeof Model).fromRow(row) as Model);
    const { temporaryId, phantom, incomplete } = coreOf(original);
    if (phantom) restoreTemporaryId(copy, temporaryId as RecordId);
    else if (incomplete) markIncomplete(copy);
    this.pair(copy, original);
    this.own.ofRecord(copy).adopt(copy);
    return copy;
  }

  /** Whether a record belongs to the parent, so that it can be copied. */
  canCopy(original: InnerRecord): boolean {
    return isOwner(original, this.parent);
  }

  /** Makes a record of the fork the copy of a record of the parent, and gives it what that one shows. */
  pair(copy: InnerRecord, original: InnerRecord): void {
    const shown = shownRow(original);
    this.pairs.set(copy, { original, shown });
    this.copies.set(original, new WeakRef(copy));
    if (copy.phantom) {
      coreOf(copy).key = keyOf(original);
      this.newCopies.add(copy);
    }
    if (!isSame(copy[ROW], shown)) settleRead(copy, shown, nextTime(copy[MODEL]));
  }

  /** Gives a copy what its original shows now. */
  refresh(copy: InnerRecord): void {
    const original = this.pairs.get(copy)?.original;
    if (original && !original.erased) this.pair(copy, original);
  }

  /** Gives the copies of new records that were created since the ids that their originals have now. */
  followCreates(): void {
    for (const copy of this.newCopies) this.followCreate(copy);
  }

  private followCreate(copy: InnerRecord): void {
    const pair = this.pairs.get(copy);
    if (!pair || !copy.phantom || pair.original.phantom) return;
    const { original, shown } = pair;
    const { idField } = original[MODEL];
    const row = { ...shown };
    if (idField.path) writePath(row, idField.path, idField.raw(original[ROW]));
    pair.shown = row;
    // A removed copy stays among the new ones: it is in no list of the fork.
    if (isOwner(copy, this.own)) this.newCopies.delete(copy);
    settleSaved(copy, changeOfAttempt(copy, row), {}, row);
  }

  /** Forgets the copy of a record that the parent does not show any more; one that was erased is so, too. Returns whether it does not. */
  forgetGone(copy: InnerRecord): boolean {
    const original = this.pairs.get(copy)?.original;
    if (!original || (isOwner(original, this.parent) && !original.erased && !this.parent.isHidden(original)))
      return false;
    this.copies.delete(original);
    this.newCopies.delete(copy);
    if (original.erased) settleErased(copy);
    return true;
  }

  /** The copies of new records that were removed from the fork. */
  removedNew(): readonly InnerRecord[] {
    return [...this.newCopies].filter((copy) => !isOwner(copy, this.own));
  }

  /** Forgets the copies of new records that were removed: they are copied again when they are asked for. */
  forgetRemoved(): void {
    for (const copy of this.removedNew()) {
      this.newCopies.delete(copy);
      const { original } = this.pairs.get(copy) as Pair;
      this.copies.delete(original);
    }
  }

  /** A record has joined the fork: nobody may write it from there. */
  adopted(record: InnerRecord): void {
    coreOf(record).refuseWrite = () => {
      throw recordError(record, 'restricted', 'fork-write');
    };
  }

  /** Keeps showing the edits of the original over a row that was read into its copy. */
  loaded(copy: InnerRecord): void {
    const original = this.pairs.get(copy)?.original;
    const edits = original?.[CORE]?.edits;
    if (!original || !edits?.size) return;
    const row = copy[ROW];
    const shown = withWritten(row, writeEdits(original, edits, row, true));
    if (!isSame(row, shown)) settleRead(copy, shown, nextTime(copy[MODEL]));
  }
}

/** The error of a call on a fork that was dropped. */
export function droppedError(call: string): StateError {
  return new StateError('disposed', 'fork-dropped', { call });
}
