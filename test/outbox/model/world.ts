/**
 * The outbox as a model: two tabs, a storage, locks and a server, whose atomic steps can be run in every order. A `World` is one state of
 * all of them. It is plain data, so that it can be copied and compared.
 */

/** The records: a parent, and a child that refers to it. */
export type RecordName = 'P' | 'C';
export const RECORDS: readonly RecordName[] = ['P', 'C'];

/** Values of fields. Each value is used for one save only, so that the laws can tell where it came from. */
export type Values = Record<string, string>;
export type Action = 'create' | 'update' | 'erase';
/** The progress of a change; undefined: it was never sent, or is to be sent as if it never was. */
export type Progress = 'attempted' | 'refused' | 'unconfirmed' | 'outdated' | undefined;

/** A change that a tab has saved and not appended yet. */
export interface SavedChange {
  r: RecordName;
  action: Action;
  values: Values;
  /** The values under the edits, as this tab saw them. */
  base: Values;
  parent?: RecordName;
  /** The version of the application that made it. */
  version: number;
}

export interface StoredChange extends SavedChange {
  /** Given by the storage. */
  key: number;
  /** The order of the tab itself, for a mistake. */
  seq: number;
}

/** A change as a tab shows it. */
export interface ShownChange extends StoredChange {
  progress?: Progress | '';
}

export interface Outcome {
  r: RecordName;
  keys: number[];
  type: 'sent' | 'dropped' | 'refused';
  /** The row of the server; null: it was erased; undefined: the outcome says nothing about it. */
  row: Values | null | undefined;
}

/** The contents of the storage. */
export interface Log {
  nextKey: number;
  changes: StoredChange[];
  progress: Record<number, Progress>;
  /** How often the progress of a change was written: two attempts never store the same. */
  revisions: Record<number, number>;
  outcomes: Outcome[];
  /** The ids of created records; null: never created. */
  ids: Partial<Record<RecordName, number | null>>;
  /** The tags and rows of the last responses. */
  tags: Partial<Record<RecordName, number>>;
  rows: Partial<Record<RecordName, Values>>;
}

export interface ServerRow {
  id: number;
  r: RecordName;
  values: Values;
  tag: number;
}

/** A response of the server. */
export interface Answer {
  row?: Values | null;
  id?: number | undefined;
  tag?: number | false;
  /** The write was definitely not done. */
  refused?: boolean;
  /** The row has changed since the tab saw it: 412. */
  outdated?: boolean;
}

export interface Server {
  rows: ServerRow[];
  nextId: number;
  usedIds: number[];
  /** All values that it ever got. */
  seen: string[];
  /** The responses to creates with a key. */
  keys: Partial<Record<RecordName, { body: string; values: Values; id: number }>>;
}

/** Something that may be done for a record now, as read under its lock. */
export interface Job {
  r: RecordName;
  does: 'send' | 'nothing' | 'refused' | 'unconfirmed';
  keys: number[];
  /** The progress of the changes when the tab read them or wrote it last. The storage refuses the job if it has changed. */
  seen: string[];
  action: Action;
  id: number | undefined;
  parentId: number | undefined;
  values: Values;
  base: Values;
  isRepeat: boolean;
  /** Whether the row has to be read first. */
  readsFirst: boolean;
  tag: number | undefined;
  at: 'lock' | 'decide' | 'read' | 'send' | 'request' | 'answer' | 'id';
  answer?: Answer;
}

/** A record on the screen of a tab. */
export interface ShownRecord {
  /** The row; undefined: it has none yet; null: it is gone. */
  row: Values | null | undefined;
  typed: Values;
  changes: ShownChange[];
}

/** A read of a row that is under way. */
export interface Reading {
  r: RecordName;
  /** The number of outcomes that the tab knew when the read began. */
  told: number;
  isAnswered: boolean;
  row: Values | null;
}

export interface Tab {
  isAlive: boolean;
  screen: Partial<Record<RecordName, ShownRecord>>;
  /** Saved changes that are not appended yet. */
  waiting: SavedChange[];
  job: Job | null;
  reading: Reading | null;
  /** The number of outcomes that the tab was told of. */
  told: number;
  /** Whether something has happened that the tab was not told of. */
  isStale: boolean;
  seq: number;
  /** The number of values that the tab has made up. */
  made: number;
  /** The records of the user who is signed in. */
  records: RecordName[];
  version: number;
}

/** How often something may still happen. */
export interface Left {
  saves: number;
  kills: number;
  losses: number;
  refusals: number;
  reopens: number;
  typing: number;
  drops: number;
  decides: number;
  steals: number;
  repairs: number;
  reads: number;
  outsiders: number;
}

export interface World {
  withKeys: boolean;
  withTags: boolean;
  existing: RecordName[];
  /** The changes that were told as queued. Only the laws read it. */
  saves: (StoredChange & { tab: number })[];
  posted: Partial<Record<RecordName, boolean>>;
  /** Records about which the application has decided without knowing. */
  doubted: RecordName[];
  /** Requests of tabs that are gone. */
  late: Job[];
  /** The tab that holds the lock of a record. */
  lock: Record<RecordName, number | null>;
  tabs: Tab[];
  log: Log;
  server: Server;
  /** The newest value of somebody else, who writes to the server without an outbox. */
  outside: string | null;
  left: Left;
  /** A law that a step has broken. */
  broken: string | null;
}

/** Copies plain data. `structuredClone` takes five times as long. */
export function copyOf<T>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
  for (const name in value) (copy as Record<string, unknown>)[name] = copyOf(value[name]);
  return copy as T;
}

/** The name of a tab in histories. */
export const nameOfTab = (tab: number): string => `tab ${'AB'[tab]}`;
