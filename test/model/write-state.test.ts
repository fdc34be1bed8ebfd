import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/model/change.js';
import { nextState, UNWRITTEN, type WriteEvent, type WriteState } from '../../src/model/write-state.js';

const change = (at: number): Change =>
  ({ at, edits: new Map(), live: new Map(), written: new Map(), base: {} }) as Partial<Change> as Change;
const [first, second] = [change(1), change(2)];
const error = new Error('refused') as never;
const older = new Error('no answer') as never;

const apply = (...events: WriteEvent[]) => events.reduce(nextState, UNWRITTEN);
const STATES: Record<string, WriteState> = {
  unwritten: UNWRITTEN,
  new: apply({ type: 'made', temporaryId: -1 }),
  saving: apply({ type: 'begun', change: first }, { type: 'captured', change: second }),
  creating: apply({ type: 'made', temporaryId: -1 }, { type: 'begun', change: first }),
  unconfirmed: apply(
    { type: 'made', temporaryId: -1 },
    { type: 'begun', change: first },
    { type: 'failed', error: older, ending: 'unconfirmed', isNewest: false, isErase: false },
  ),
};

const failed = { type: 'failed', error, isNewest: false, isErase: false } as const;
const EVENTS: Record<string, WriteEvent> = {
  made: { type: 'made', temporaryId: -2 },
  taken: { type: 'taken' },
  edited: { type: 'edited' },
  'read in part': { type: 'read', incomplete: true },
  captured: { type: 'captured', change: second },
  begun: { type: 'begun', change: second },
  released: { type: 'released', at: 2 },
  rejected: { type: 'rejected' },
  saved: { type: 'saved', at: 9, incomplete: false, waiting: [] },
  'failed: refused': { ...failed, ending: 'refused' },
  'failed: unconfirmed': { ...failed, ending: 'unconfirmed' },
  'failed: no news': { ...failed, ending: 'noNews' },
  'failed erase': { ...failed, ending: 'refused', isErase: true },
  notSent: { type: 'notSent' },
  notCreated: { type: 'notCreated' },
  erased: { type: 'erased', at: 9 },
  refused: { type: 'refused', error },
  'undone create': { type: 'undone', at: 9, wasCreate: true, temporaryId: -1 },
  'restored and shown': { type: 'restored', change: first, unconfirmed: older, isShown: true },
};

/** A value of the state as the table prints it. */
function shown(value: unknown): string {
  if (value === error) return 'refused';
  if (value === older) return 'no answer';
  if (Array.isArray(value)) return `[${value.map(shown).join()}]`;
  return value === first ? 'first' : value === second ? 'second' : String(value);
}

/** The members that an event has changed: `change first -> undefined`. */
function difference(before: WriteState, after: WriteState): string {
  const names = Object.keys(before) as (keyof WriteState)[];
  const changed = names.filter((name) => shown(before[name]) !== shown(after[name]));
  return changed.map((name) => `${name} ${shown(before[name])} -> ${shown(after[name])}`).join('; ') || '-';
}

describe('the state of the writes of a record', () => {
  test('changes as the table says: what is not named stays as it was', () => {
    const table = Object.entries(EVENTS).map(([name, event]) => {
      const rows = Object.entries(STATES).map(
        ([from, state]) => `  ${from}: ${difference(state, nextState(state, event))}`,
      );
      return [name, ...rows].join('\n');
    });
    expect(`\n${table.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      made
        unwritten: phantom false -> true; temporaryId undefined -> -2
        new: temporaryId -1 -> -2
        saving: phantom false -> true; temporaryId undefined -> -2
        creating: temporaryId -1 -> -2
        unconfirmed: temporaryId -1 -> -2
      taken
        unwritten: -
        new: phantom true -> false
        saving: -
        creating: phantom true -> false
        unconfirmed: phantom true -> false
      edited
        unwritten: -
        new: -
        saving: -
        creating: -
        unconfirmed: error no answer -> undefined
      read in part
        unwritten: incomplete false -> true
        new: incomplete false -> true
        saving: incomplete false -> true
        creating: incomplete false -> true
        unconfirmed: incomplete false -> true
      captured
        unwritten: waiting [] -> [second]
        new: waiting [] -> [second]
        saving: -
        creating: waiting [] -> [second]
        unconfirmed: waiting [] -> [second]
      begun
        unwritten: change undefined -> second
        new: change undefined -> second
        saving: change first -> second; waiting [second] -> []
        creating: change first -> second
        unconfirmed: change first -> second
      released
        unwritten: -
        new: -
        saving: waiting [second] -> []
        creating: -
        unconfirmed: -
      rejected
        unwritten: -
        new: -
        saving: waiting [second] -> []
        creating: -
        unconfirmed: error no answer -> undefined
      saved
        unwritten: settledAt 0 -> 9
        new: phantom true -> false; temporaryId -1 -> undefined; settledAt 0 -> 9; createdAt 0 -> 9
        saving: change first -> undefined; waiting [second] -> []; settledAt 0 -> 9
        creating: phantom true -> false; temporaryId -1 -> undefined; change first -> undefined; settledAt 0 -> 9; createdAt 0 -> 9
        unconfirmed: phantom true -> false; temporaryId -1 -> undefined; change first -> undefined; unconfirmed no answer -> undefined; error no answer -> undefined; failure no answer -> undefined; settledAt 0 -> 9; createdAt 0 -> 9
      failed: refused
        unwritten: error undefined -> refused; failure undefined -> refused
        new: error undefined -> refused; failure undefined -> refused
        saving: change first -> undefined; error undefined -> refused; failure undefined -> refused
        creating: change first -> undefined; error undefined -> refused; failure undefined -> refused
        unconfirmed: change first -> undefined; unconfirmed no answer -> undefined; error no answer -> refused; failure no answer -> refused
      failed: unconfirmed
        unwritten: unconfirmed undefined -> refused; error undefined -> refused; failure undefined -> refused
        new: unconfirmed undefined -> refused; error undefined -> refused; failure undefined -> refused
        saving: change first -> undefined; unconfirmed undefined -> refused; error undefined -> refused; failure undefined -> refused
        creating: unconfirmed undefined -> refused; error undefined -> refused; failure undefined -> refused
        unconfirmed: error no answer -> refused; failure no answer -> refused
      failed: no news
        unwritten: error undefined -> refused; failure undefined -> refused
        new: error undefined -> refused; failure undefined -> refused
        saving: change first -> undefined; error undefined -> refused; failure undefined -> refused
        creating: change first -> undefined; error undefined -> refused; failure undefined -> refused
        unconfirmed: error no answer -> refused; failure no answer -> refused
      failed erase
        unwritten: error undefined -> refused; failure undefined -> refused
        new: error undefined -> refused; failure undefined -> refused
        saving: error undefined -> refused; failure undefined -> refused
        creating: error undefined -> refused; failure undefined -> refused
        unconfirmed: unconfirmed no answer -> undefined; error no answer -> refused; failure no answer -> refused
      notSent
        unwritten: -
        new: -
        saving: change first -> undefined
        creating: change first -> undefined
        unconfirmed: change first -> undefined; unconfirmed no answer -> undefined
      notCreated
        unwritten: -
        new: -
        saving: change first -> undefined
        creating: change first -> undefined
        unconfirmed: change first -> undefined; unconfirmed no answer -> undefined; error no answer -> undefined; failure no answer -> undefined
      erased
        unwritten: erased false -> true; settledAt 0 -> 9
        new: erased false -> true; settledAt 0 -> 9
        saving: erased false -> true; waiting [second] -> []; settledAt 0 -> 9
        creating: erased false -> true; settledAt 0 -> 9
        unconfirmed: erased false -> true; unconfirmed no answer -> undefined; error no answer -> undefined; failure no answer -> undefined; settledAt 0 -> 9
      refused
        unwritten: error undefined -> refused
        new: error undefined -> refused
        saving: error undefined -> refused
        creating: error undefined -> refused
        unconfirmed: error no answer -> refused
      undone create
        unwritten: phantom false -> true; temporaryId undefined -> -1; settledAt 0 -> 9
        new: settledAt 0 -> 9
        saving: phantom false -> true; temporaryId undefined -> -1; settledAt 0 -> 9
        creating: settledAt 0 -> 9
        unconfirmed: settledAt 0 -> 9
      restored and shown
        unwritten: change undefined -> first; unconfirmed undefined -> no answer; error undefined -> no answer; failure undefined -> no answer
        new: change undefined -> first; unconfirmed undefined -> no answer; error undefined -> no answer; failure undefined -> no answer
        saving: unconfirmed undefined -> no answer; error undefined -> no answer; failure undefined -> no answer
        creating: unconfirmed undefined -> no answer; error undefined -> no answer; failure undefined -> no answer
        unconfirmed: -
      "
    `);
  });

  test('is frozen, and an event leaves the state before it as it was', () => {
    for (const state of Object.values(STATES)) {
      for (const event of Object.values(EVENTS)) {
        const before = { ...state };
        const after = nextState(state, event);
        expect(Object.isFrozen(after)).toBe(true);
        expect({ ...state }).toEqual(before);
        expect(Object.keys(after)).toEqual(Object.keys(UNWRITTEN));
      }
    }
  });
});
