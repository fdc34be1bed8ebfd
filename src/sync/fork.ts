import type { RecordDecision } from '../errors/conflict-error.js';
import type { AnyModel } from '../model/field.js';
import type { Model } from '../model/model.js';
import { innerModel } from '../model/model-definition.js';
import { commit, guardErased, type InnerRecord, inner } from '../model/record.js';
import { CORE, ROW } from '../model/symbols.js';
import { type KnownChange, takeInto } from './apply-changes.js';
import { Copies, droppedError } from './copies.js';
import { innerSession } from './inner-session.js';
import { Session } from './session.js';
import { type PendingChange, pendingChangesOf } from './session-changes.js';

/**
 * Makes a session whose records are copies of the records of a session, for a dialog: what is edited, added and removed there is seen
 * nowhere else, until `merge()` takes it into that session as edits. Nothing is copied before it is asked for.
 *
 * @example
 * ```ts
 * const dialog = fork(session);
 * const copy = dialog.copyOf(order);
 * copy.customer = 'Grace'; // `order` stays as it is
 * dialog.merge(); // or `dialog.drop()`
 * ```
 */
export function fork(session: Session): Fork {
  return new Fork(session);
}

/**
 * A session whose records are copies of the records of another session, its parent. `fork(session)` makes it. Its stores and records read
 * from the server as those of any session; they send nothing: `save()`, `erase()` and `sync()` reject with `StateError`.
 *
 * @example
 * ```ts
 * const dialog = fork(session);
 * const store = new Store({ model: User, session: dialog });
 * store.add({ name: 'Grace' }); // on the screen of the dialog only
 * dialog.merge(); // OK: the session has the user now, as a new record
 * ```
 */
export class Fork extends Session {
  private readonly copies: Copies;
  private isDropped = false;

  /** @internal */
  constructor(private readonly parent: Session) {
    super();
    this.copies = new Copies(this.records, innerSession(parent).records);
    this.records.copies = this.copies;
    this.steps = innerSession(parent).steps?.ofFork(innerSession(this));
  }

  /**
   * The copy of a record of the parent: it has what the record shows when it is first asked for, and is not dirty. Throws `StateError` for
   * a record that the parent does not have.
   *
   * `reject()` takes the copy back to that. `getById()` and stores with `session: fork` give copies as well.
   *
   * @example
   * ```ts
   * session.add(user);
   * const dialog = fork(session);
   * dialog.copyOf(user).name = 'Grace';
   * show(user.name); // 'Ada': the screen behind the dialog does not change yet
   * dialog.merge();
   * show(user.name); // 'Grace'
   * ```
   */
  copyOf<M extends Model>(record: M): M {
    this.checkOpen('copyOf()');
    guardErased(inner(record));
    return this.copies.copyOf(inner(record)) as M;
  }

  /**
   * Takes what was edited, added and removed in the fork into the parent, as edits. The fork stays open, and its copies show what the
   * parent shows then. Returns the records of the parent that were changed. If the parent has changed a field meanwhile to another value,
   * `decide` gives the value to take. Throws `MergeError`, which tells the conflicts, and changes nothing, if there is no `decide` or it
   * returns undefined; throws `StateError` after `drop()`.
   *
   * If one side has removed a record that the other one has changed, the conflicts have `removedBy`, and `decide` is not asked: `reject()`
   * the side that is wrong, and merge again. A field of an embedded record is a field of its own; a list of such records is merged by its lines,
   * any other list is one value.
   *
   * A new record becomes a new record of the parent. No store shows it, except that of its parent record: add it to a list by
   * `orders.add(made)`.
   *
   * @example
   * ```ts
   * dialog.merge(({ mine }) => mine);
   * ```
   */
  merge(decide?: RecordDecision): readonly Model[] {
    this.checkOpen('merge()');
    this.copies.followCreates();
    const pending = pendingChangesOf(innerSession(this));
    const isUnknown = ({ record, change }: PendingChange) => change.action === 'update' && !this.copies.pairOf(record);
    const known = pending.map(
      ({ record, change }): KnownChange => ({ change, Class: innerModel(record.constructor as AnyModel) }),
    );
    const taken = takeInto(innerSession(this.parent), known, {
      decide,
      rows: new Map(pending.filter(isUnknown).map(({ record, change }) => [change.key, record[ROW]])),
      keepsIds: true,
    });
    this.statusFeed.feed.hold(() => {
      for (const [at, { record, change }] of pending.entries())
        if (change.action === 'destroy') this.records.leave(record);
        else {
          commit(record);
          this.copies.pair(record, taken[at] as InnerRecord);
        }
      this.copies.forgetRemoved();
      for (const record of this.records.all())
        if (this.copies.forgetGone(inner(record))) this.records.leave(record);
        else this.copies.refresh(inner(record));
      for (const record of this.records.all()) inner(record)[CORE]?.children?.writes?.showCopies();
    });
    return taken;
  }

  /**
   * Forgets the fork with all its edits. Its stores are disposed of.
   *
   * @example
   * ```ts
   * const dialog = fork(session);
   * dialog.create(User, { name: 'Grace' });
   * dialog.drop(); // "Cancel": nothing of it reaches the session
   * ```
   */
  drop(): void {
    this.isDropped = true;
    for (const store of this.records.stores) store.dispose();
    super.dispose();
  }

  /** The same as `drop()`. */
  override dispose(): void {
    this.drop();
  }

  override reject(): void {
    super.reject();
    this.copies.forgetRemoved();
  }

  private checkOpen(call: string): void {
    if (this.isDropped) throw droppedError(call);
  }
}
