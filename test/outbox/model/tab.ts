import type { Mistakes } from './mistakes.js';
import type { Scope } from './scopes.js';
import { look, open } from './screen.js';
import { sender } from './sender.js';
import { serve, writeFromOutside } from './server.js';
import { append, changesOf, remove, update } from './storage.js';
import {
  type Action,
  nameOfTab,
  RECORDS,
  type Reading,
  type RecordName,
  type ShownRecord,
  type Tab,
  type Values,
  type World,
} from './world.js';

/** An atomic step: its name, and how it changes a copy of the world. */
export interface Step {
  readonly name: string;
  /** Whether it may also not happen at all: a world in which only such steps are left is a final one. */
  readonly isChoice: boolean;
  run(world: World): void;
}

/** Receives the possible steps. */
export interface Steps {
  must(name: string, run: (world: World) => void): void;
  may(name: string, run: (world: World) => void): void;
}

/** All steps that are possible in a world. */
export function stepsOf(world: World, scope: Scope, on: Mistakes): Step[] {
  const all: Step[] = [];
  const steps: Steps = {
    must: (name, run) => all.push({ name, isChoice: false, run }),
    may: (name, run) => all.push({ name, isChoice: true, run }),
  };
  for (const [at, tab] of world.tabs.entries()) {
    if (tab.isAlive) stepsOfTab(world, at, scope, on, steps);
    else if (world.left.reopens > 0) {
      steps.may(`${nameOfTab(at)} is opened again`, (next) => {
        next.left.reopens -= 1;
        open(next, at, { records: next.tabs[at]!.records, version: scope.newVersion ?? next.tabs[at]!.version });
      });
    }
  }
  for (const at of world.late.keys()) {
    steps.may('a request of a dead tab arrives', (next) => {
      const [job] = next.late.splice(at, 1);
      if (job) serve(next, job);
    });
  }
  if (world.left.outsiders > 0) {
    steps.may('somebody else writes b', (next) => {
      next.left.outsiders -= 1;
      writeFromOutside(next, `X${next.left.outsiders}`);
    });
  }
  return all;
}

function stepsOfTab(world: World, at: number, scope: Scope, on: Mistakes, steps: Steps): void {
  const tab = world.tabs[at]!;
  const me = nameOfTab(at);
  user(world, at, scope, steps);
  for (const [place, { action, r }] of tab.waiting.entries()) {
    if (place > 0 && !on.appendsInAnyOrder) break;
    steps.must(`${me} appends its ${action} of ${r}`, (next) => {
      const [saved] = next.tabs[at]!.waiting.splice(place, 1);
      if (saved) append(next, at, saved, on);
    });
  }
  if (tab.isStale) steps.must(`${me} is told what happened`, (next) => look(next, at, on));
  application(world, at, on, steps);
  sender(world, at, scope, on, steps);
  reads(world, at, on, steps);
  if (world.left.kills > 0) {
    steps.may(`${me} is killed`, (next) => {
      const { job } = next.tabs[at]!;
      next.left.kills -= 1;
      // Its request may still arrive.
      if (job?.at === 'request' && scope.lateRequests) next.late.push(job);
      if (job && next.lock[job.r] === at) next.lock[job.r] = null;
      Object.assign(next.tabs[at]!, { isAlive: false, screen: {}, waiting: [], job: null, reading: null });
    });
  }
}

/** A value that nobody has used before. */
function newValue(tab: Tab, at: number): string {
  const value = `${'AB'[at]}${tab.made}`;
  tab.made += 1;
  return value;
}

/** The user saves, erases and types. What is saved is captured at once, and appended by a later step. */
function user(world: World, at: number, scope: Scope, steps: Steps): void {
  const tab = world.tabs[at]!;
  const me = nameOfTab(at);
  const shown = RECORDS.filter((r) => tab.screen[r] && tab.screen[r].row !== null && tab.records.includes(r));
  if (world.left.typing > 0) {
    for (const r of shown) {
      steps.may(`${me} types into ${r}.a`, (next) => {
        next.left.typing -= 1;
        (next.tabs[at]!.screen[r] as ShownRecord).typed = { a: newValue(next.tabs[at]!, at) };
      });
    }
  }
  if (world.left.saves === 0) return;
  for (const r of scope.creates ?? []) {
    const isThere =
      tab.screen[r] || [...world.saves, ...world.tabs.flatMap(({ waiting }) => waiting)].some((each) => each.r === r);
    const canCreate = r === 'P' ? at === 0 : shown.includes('P');
    if (isThere || !canCreate) continue;
    steps.may(`${me} saves the new record ${r}`, (next) => {
      const own = next.tabs[at]!;
      next.left.saves -= 1;
      own.screen[r] = { row: undefined, typed: {}, changes: [] };
      const parent = r === 'C' ? ({ parent: 'P' } as const) : {};
      own.waiting.push({
        r,
        action: 'create',
        values: { a: newValue(own, at) },
        base: {},
        version: own.version,
        ...parent,
      });
    });
  }
  const save = (name: string, r: RecordName, action: Action, valuesOf: (own: Tab, typed: Values) => Values) =>
    steps.may(`${me} ${name}`, (next) => {
      const own = next.tabs[at]!;
      const record = own.screen[r] as ShownRecord;
      const values = valuesOf(own, record.typed);
      next.left.saves -= 1;
      record.typed = {};
      own.waiting.push({ r, action, values, base: { ...record.row }, version: own.version });
    });
  for (const r of shown) {
    for (const field of scope.fields ?? ['a']) {
      save(`saves ${r}.${field}`, r, 'update', (own, typed) => ({ ...typed, [field]: newValue(own, at) }));
    }
    if (scope.erases) save(`erases ${r}`, r, 'erase', () => ({}));
  }
}

/** The application drops or repairs a change, or decides about an unconfirmed create: under the lock, and read again there. */
function application(world: World, at: number, on: Mistakes, steps: Steps): void {
  const tab = world.tabs[at]!;
  const me = nameOfTab(at);
  for (const r of RECORDS) {
    if (!tab.records.includes(r)) continue;
    const underLock = world.lock[r] === null ? changesOf(world, r) : [];
    const known = on.decidesWithoutLock ? (tab.screen[r]?.changes ?? []) : underLock;
    for (const change of known) {
      const progress = 'progress' in change ? change.progress : world.log.progress[change.key];
      const isUnanswered = progress === 'unconfirmed' || (on.decidesWithoutLock && progress === 'attempted');
      if (world.left.drops > 0 && progress !== 'attempted' && change.version <= tab.version) {
        steps.may(`${me} drops change ${change.key}`, (next) => {
          next.left.drops -= 1;
          if (progress === 'unconfirmed') next.doubted.push(r);
          const id = change.action === 'create' ? null : undefined;
          remove(next, { r, keys: [change.key], type: 'dropped', row: undefined }, id, on);
        });
      }
      if (world.left.decides > 0 && change.action === 'create' && isUnanswered) {
        steps.may(`${me} decides about ${r}`, (next) => decide(next, r, progress || undefined, on));
      }
      if (world.left.repairs > 0 && progress === 'refused' && change.action !== 'erase' && tab.screen[r]) {
        steps.may(`${me} repairs change ${change.key}`, (next) => {
          const own = next.tabs[at]!;
          next.left.repairs -= 1;
          const typed = on.repairsWithTyped ? (own.screen[r] as ShownRecord).typed : {};
          const asked = { a: newValue(own, at) };
          const values = { ...asked, ...typed };
          append(next, at, { r, action: 'update', values, base: change.base, version: own.version }, on, asked);
        });
      }
    }
  }
}

/** The user has looked at the server: the record is there, or it is not. */
function decide(
  world: World,
  r: RecordName,
  progress: 'attempted' | 'unconfirmed' | 'refused' | 'outdated' | undefined,
  on: Mistakes,
): void {
  world.left.decides -= 1;
  world.posted[r] = false;
  const keys = changesOf(world, r)
    .map(({ key }) => key)
    .filter((key) => world.log.progress[key] === progress);
  const row = world.server.rows.find((each) => each.r === r);
  if (row) remove(world, { r, keys, type: 'sent', row: row.values }, row.id, on);
  else update(world, keys, undefined);
}

/** A tab reads a row, as a list or a detail view does at any time. */
function reads(world: World, at: number, on: Mistakes, steps: Steps): void {
  const { reading, records, screen, told } = world.tabs[at]!;
  const me = nameOfTab(at);
  if (!reading) {
    if (world.left.reads === 0) return;
    for (const r of records.filter((each) => screen[each]?.row)) {
      steps.may(`${me} begins to read ${r}`, (next) => {
        next.left.reads -= 1;
        next.tabs[at]!.reading = { r, told, isAnswered: false, row: null };
      });
    }
    return;
  }
  const { r, isAnswered } = reading;
  if (!isAnswered) {
    steps.must(`the server answers the read of ${me}`, (next) => {
      const row = next.server.rows.find((each) => each.r === r);
      Object.assign(next.tabs[at]!.reading as Reading, { isAnswered: true, row: row ? row.values : null });
    });
    return;
  }
  steps.must(`the read of ${me} arrives`, (next) => {
    const own = next.tabs[at]!;
    // The row may be older than the last outcome of the record.
    const isOutdated = next.log.outcomes.slice(reading.told, own.told).some((outcome) => outcome.r === r);
    if (own.screen[r] && (!isOutdated || on.showsLateReads)) own.screen[r].row = reading.row;
    own.reading = null;
  });
}
