/** Mistakes that can be switched on, each with the law that it must be caught by. The design makes none of them. */
export const MISTAKES = {
  ordersPerTab: 'Changes are ordered by the tab that saved them, not by the storage.',
  writesWholeRecord: 'A tab puts its copy of all changes of a record back.',
  removesWholeRecord: 'A removal takes all changes of the record.',
  readsBeforeLock: 'Changes are read before the lock is held.',
  keepsParentInChild: 'The changes of a child are put back from memory with the id of its parent.',
  repeatsWithoutKey: 'A create that got no response is repeated without a key.',
  writesProgressAfter: 'Progress is written after the request.',
  foldsAttempted: 'New changes are folded into an attempt that is repeated.',
  sendsWhatWasTyped: 'Values of the record on the screen are sent.',
  takesAbsenceForSent: 'A change that is gone is taken for sent.',
  decidesWithoutLock: 'The application decides without the lock.',
  storesIdLater: 'The id of a created record is stored in a step of its own.',
  forgetsIds: 'The id of a record is forgotten while a tab may still append a change of it.',
  forgetsNeverCreated: 'Nobody remembers that a record was never created.',
  foldsPastErase: 'Changes after an erase are folded into it.',
  keepsRefusedErase: 'A refused erase stays in the log.',
  missesOutcomes: 'A tab does not read the outcomes that it has missed.',
  appendsInAnyOrder: 'A tab appends its changes in another order than it captured them.',
  sendsWithoutTags: 'Updates are sent without the tag of the row.',
  storesWithoutGuard: 'The storage accepts steps of a tab that has lost its lock.',
  guardsByState: 'Two attempts store the same progress, so that the storage takes one for the other.',
  overwritesOnConflict: 'After a 412, an update is sent again without reading the row.',
  mergesFromBase: 'A whole row is made of the row that the tab saw, not of the row of the server.',
  repairsWithTyped: 'A repair sends what was typed, too.',
  sendsForOthers: 'A tab sends changes of another user.',
  skipsUnreadable: 'An older version of the application leaves out changes that it cannot read.',
  showsLateReads: 'A read shows its row although the record was written since it began.',
} as const;

export type Mistake = keyof typeof MISTAKES;
/** The mistakes that are switched on. */
export type Mistakes = Partial<Record<Mistake, boolean>>;
