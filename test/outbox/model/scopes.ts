import type { Mistake } from './mistakes.js';
import type { Left, RecordName } from './world.js';

/** A part of all histories that is small enough to be explored completely. */
export interface Scope {
  /** The records that can be created; without `P`, it exists at first. */
  readonly creates?: readonly RecordName[];
  /** The fields that users edit. @default a */
  readonly fields?: readonly string[];
  readonly erases?: boolean;
  /** Whether creates have idempotency keys. */
  readonly keys?: boolean;
  /** Whether rows have ETags. */
  readonly tags?: boolean;
  /** Whether the request of a killed tab can arrive later. */
  readonly lateRequests?: boolean;
  /** Whether an update sends the whole row. */
  readonly wholeRow?: boolean;
  /** The records of the users of the two tabs. @default both see all */
  readonly users?: readonly [readonly RecordName[], readonly RecordName[]];
  /** The versions of the application in the two tabs, and the version of a tab that is opened again. */
  readonly versions?: readonly [number, number];
  readonly newVersion?: number;
  /** How often something may happen: three saves, one kill, one loss and one opening unless it says otherwise. */
  readonly left?: Partial<Left>;
}

const calm = { kills: 0, losses: 0, reopens: 0 };
const twoSaves = { saves: 2 };
const parent: Scope = { creates: ['P'] };
const parentAndChild: Scope = { creates: ['P', 'C'] };

/** All scopes. Together these are all histories that the model can tell, within their bounds. */
export const SCOPES = {
  typing: { left: { ...twoSaves, typing: 1 } },
  decide: { ...parent, left: { ...twoSaves, decides: 1, drops: 1 } },
  refuse: { ...parent, erases: true, left: { ...calm, refusals: 1, drops: 1 } },
  refuseUpdate: { erases: true, left: { ...calm, refusals: 1 } },
  lateRequest: { tags: true, lateRequests: true, left: { losses: 0, reopens: 0 } },
  lateRequestKeyed: { ...parent, keys: true, tags: true, lateRequests: true, left: { losses: 0, reopens: 0 } },
  suspended: { ...parent, tags: true, left: { ...calm, ...twoSaves, steals: 1 } },
  suspendedKeyed: { ...parent, keys: true, tags: true, left: { ...calm, ...twoSaves, steals: 1 } },
  suspendedRefused: { tags: true, left: { ...calm, ...twoSaves, steals: 1, refusals: 1 } },
  suspendedRepaired: { tags: true, left: { ...calm, saves: 1, steals: 1, refusals: 1, repairs: 1 } },
  create: parent,
  keyed: { ...parent, keys: true },
  update: {},
  fields: { fields: ['a', 'b'], left: { losses: 0, reopens: 0 } },
  child: { ...parentAndChild, left: { reopens: 0 } },
  childKeyed: { ...parentAndChild, keys: true, left: { losses: 0, reopens: 0 } },
  childRefused: { ...parentAndChild, erases: true, left: { ...calm, refusals: 1, drops: 1 } },
  erase: { erases: true, left: { losses: 0, reopens: 0 } },
  createErase: { ...parent, erases: true },
  keyedErase: { ...parent, keys: true, erases: true },
  outsider: { tags: true, left: { ...twoSaves, outsiders: 1, reopens: 0 } },
  outsiderWholeRow: { tags: true, wholeRow: true, left: { ...twoSaves, outsiders: 1, reopens: 0 } },
  outsiderSameField: { tags: true, fields: ['a', 'b'], left: { ...twoSaves, outsiders: 1, kills: 0, reopens: 0 } },
  repair: { ...parent, left: { ...calm, saves: 1, refusals: 2, repairs: 1, typing: 1 } },
  repairUpdate: { left: { ...calm, saves: 1, kills: 1, refusals: 1, repairs: 1, typing: 1 } },
  users: { users: [['P'], ['C']], left: { ...twoSaves } },
  versions: { versions: [2, 1], left: { ...calm, ...twoSaves, kills: 1 } },
  deploy: { ...parent, versions: [1, 1], newVersion: 2, left: { ...twoSaves, losses: 0 } },
  reads: { left: { ...twoSaves, reads: 2, kills: 0, losses: 0, reopens: 0 } },
  readsAfterLoss: { left: { ...twoSaves, reads: 1, kills: 0, losses: 1, reopens: 0 } },
} as const satisfies Record<string, Scope>;

export type ScopeName = keyof typeof SCOPES;

const few = (name: ScopeName, left: Partial<Left> = {}): Scope => ({ ...SCOPES[name], left: { ...calm, ...left } });

/** Each mistake with a small scope in which a law is broken. */
export const SCOPES_OF_MISTAKES: readonly (readonly [readonly Mistake[], Scope])[] = [
  [['ordersPerTab'], few('update')],
  [['writesWholeRecord'], few('update')],
  [['writesWholeRecord'], few('create')],
  [['removesWholeRecord'], few('update')],
  // The guard of the storage alone makes this mistake harmless.
  [['readsBeforeLock', 'storesWithoutGuard'], few('create')],
  [['readsBeforeLock', 'storesWithoutGuard'], few('update')],
  [['keepsParentInChild'], few('child')],
  [['repeatsWithoutKey'], few('create', { kills: 1 })],
  [['writesProgressAfter'], few('create', { kills: 1 })],
  [['foldsAttempted'], few('keyed', { kills: 1 })],
  [['sendsWhatWasTyped'], few('typing', { typing: 1 })],
  [['takesAbsenceForSent'], few('update', { drops: 1 })],
  [['decidesWithoutLock'], few('create', { kills: 1, decides: 1 })],
  [['storesIdLater'], few('create', { kills: 1, ...twoSaves })],
  [['forgetsIds'], few('create')],
  [['forgetsNeverCreated'], few('child', { drops: 1 })],
  [['foldsPastErase'], few('erase')],
  [['keepsRefusedErase'], few('refuseUpdate', { refusals: 1 })],
  [['missesOutcomes'], few('update')],
  [['appendsInAnyOrder'], few('child', { kills: 1 })],
  [['sendsWithoutTags'], { ...SCOPES.lateRequest, tags: false }],
  [['storesWithoutGuard'], few('create', { steals: 1 })],
  [['guardsByState'], SCOPES.suspendedRepaired],
  [['overwritesOnConflict'], few('outsiderSameField', { ...twoSaves, outsiders: 1 })],
  [['mergesFromBase'], few('outsiderWholeRow', { ...twoSaves, outsiders: 1 })],
  [['repairsWithTyped'], few('repairUpdate', { saves: 1, refusals: 1, repairs: 1, typing: 1 })],
  [['sendsForOthers'], few('users', twoSaves)],
  [['skipsUnreadable'], few('versions', { saves: 3 })],
  [['showsLateReads'], few('reads', { ...twoSaves, reads: 1 })],
];
