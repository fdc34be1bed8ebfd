import { checkOptions } from '../dev/checks.js';
import type { RecordDecision } from '../errors/conflict-error.js';
import { callable, list, type Rules } from '../errors/option-rules.js';
import type { BaseModel } from '../model/base-model.js';
import type { AnyModel } from '../model/field.js';
import { type InnerModel, innerModel } from '../model/model-definition.js';
import { commit, guardErased, type InnerRecord, inner } from '../model/record.js';
import { CORE, DEFINITION, ROW } from '../model/symbols.js';
import { type KnownChange, readChanges, type TakingOptions, takeChanges } from './apply-changes.js';
import { Copies, droppedError } from './copies.js';
import { Session as CoreSession } from './session.js';
import { type PendingChange, pendingChanges, type SessionChange, toData } from './session-changes.js';
import type { SharedRecords } from './shared-records.js';

/** Options of `session.apply()`. */
export interface ApplyOptions {
  /**
   * The models of the changes.
   * @default the models of which the session has records or stores
   */
  readonly models?: readonly AnyModel[];
  /**
   * Called for each field that both sides have changed to different values: returns the value to take, or undefined to leave the conflict open.
   * @default none: such a field throws `MergeError`
   */
  readonly decide?: RecordDecision;
}

const APPLY_RULES: Rules<ApplyOptions> = { models: list, decide: callable };

/** Takes changes into the parent of a fork. */
type Take = (changes: readonly KnownChange[], options: TakingOptions) => readonly InnerRecord[];

/**
 * A unit of work over many models. Its stores share one object per id, and one `sync()` writes all pending changes, new records
 * before the records that refer to them.
 *
 * @example
 * ```ts
 * const session = new Session();
 * const user = await session.load(User, 7);
 * const tasks = new Store({ model: Task, session });
 * tasks.add({ title: 'Write', ownerId: user.id });
 * const batch = await session.sync();
 * ```
 */
export class Session extends CoreSession {
  /**
   * Makes a session whose records are copies of the records of this session, for a dialog: what is edited, added and removed there is seen
   * nowhere else, until `merge()` takes it into this session as edits. Nothing is copied before it is asked for.
   *
   * @example
   * ```ts
   * const fork = session.fork();
   * const copy = fork.copyOf(order);
   * copy.customer = 'Grace'; // `order` stays as it is
   * fork.merge(); // or `fork.drop()`
   * ```
   */
  fork(): Fork {
    return new Fork(this.records, (changes, options) => this.take(changes, options));
  }

  /**
   * The pending changes of the session as plain data: new, edited and removed records. JSON keeps all of it, dates, decimals and numbers of
   * any length included, so that it can be stored, or sent to another page, and taken there by `apply()`. Values of fields with
   * `persist: false` are included. Throws `ValidationError` for a file.
   *
   * @example
   * ```ts
   * localStorage.setItem('draft', JSON.stringify(session.changes()));
   * ```
   */
  changes(): readonly SessionChange[] {
    return toData(this.pendingChanges().map(({ change }) => change));
  }

  /**
   * Takes the changes of another session as edits: what `changes()` has given there, also as parsed JSON. A record that this session does
   * not have is made of what the change knows of it, and is read before a write that needs its whole row. Returns the records, in the order
   * of the changes. Throws, without any change, `ValidationError` for what is no change, and for unknown models, fields and records;
   * `StateError` for a new record whose id the session has already; `MergeError` for fields that were changed here to other values.
   *
   * @example
   * ```ts
   * session.apply(JSON.parse(localStorage.getItem('draft') ?? '[]'), { models: [User, Task] });
   * ```
   */
  apply(changes: readonly SessionChange[], options: ApplyOptions = {}): readonly BaseModel[] {
    checkOptions('apply', options, APPLY_RULES);
    const { models = [], decide } = options;
    const given = models.map((model) => innerModel(model));
    const known = readChanges(changes, (name) => {
      const named = (all: readonly InnerModel[]) => all.filter((each) => each[DEFINITION].name === name);
      const own = named(given);
      return own.length > 0 ? own : named(this.records.knownModels as readonly InnerModel[]);
    });
    return this.take(known, { decide });
  }

  private take(changes: readonly KnownChange[], options: TakingOptions): readonly InnerRecord[] {
    return this.statusFeed.feed.hold(() => takeChanges(this.records, changes, options));
  }

  protected pendingChanges(): PendingChange[] {
    return pendingChanges({
      pending: [...this.records.pending].filter((record) => !this.records.isHidden(record)),
      removed: this.getRemovedRecords(),
      copies: this.records.copies,
    });
  }
}

/**
 * A session whose records are copies of the records of another session, its parent. `session.fork()` makes it. Its stores and records read
 * from the server as those of any session; they send nothing: `save()`, `erase()` and `sync()` reject with `StateError`.
 *
 * @example
 * ```ts
 * const dialog = session.fork();
 * const store = new Store({ model: User, session: dialog });
 * store.add({ name: 'Grace' }); // on the screen of the dialog only
 * dialog.merge(); // OK: the session has the user now, as a new record
 * ```
 */
export class Fork extends Session {
  private readonly copies: Copies;
  private isDropped = false;

  /** @internal */
  constructor(
    parent: SharedRecords,
    private readonly takeIntoParent: Take,
  ) {
    super();
    this.copies = new Copies(this.records, parent);
    this.records.copies = this.copies;
    this.openHistory(parent.session, false);
  }

  /**
   * The copy of a record of the parent: it has what the record shows when it is first asked for, and is not dirty. Throws `StateError` for a
   * record that the parent does not have.
   *
   * @example
   * ```ts
   * session.add(user);
   * const dialog = session.fork();
   * dialog.copyOf(user).name = 'Grace';
   * show(user.name); // 'Ada': the screen behind the dialog does not change yet
   * dialog.merge();
   * show(user.name); // 'Grace'
   * ```
   */
  copyOf<M extends BaseModel>(record: M): M {
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
   * @example
   * ```ts
   * fork.merge(({ mine }) => mine);
   * ```
   */
  merge(decide?: RecordDecision): readonly BaseModel[] {
    this.checkOpen('merge()');
    this.copies.followCreates();
    const pending = this.pendingChanges();
    const isUnknown = ({ record, change }: PendingChange) => change.action === 'update' && !this.copies.pairOf(record);
    const known = pending.map(
      ({ record, change }): KnownChange => ({ change, Class: innerModel(record.constructor as AnyModel) }),
    );
    const taken = this.takeIntoParent(known, {
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
      for (const record of this.records.all()) inner(record)[CORE]?.children?.showCopies();
    });
    return taken;
  }

  /**
   * Forgets the fork with all its edits. Its stores are disposed of.
   *
   * @example
   * ```ts
   * const dialog = session.fork();
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

  override rejectChanges(): void {
    super.rejectChanges();
    this.copies.forgetRemoved();
  }

  private checkOpen(call: string): void {
    if (this.isDropped) throw droppedError(call);
  }
}
