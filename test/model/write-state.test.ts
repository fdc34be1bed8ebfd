import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Change, changeWith } from '../../src/model/change.js';
import {
  RecordCore,
  type StateChange,
  type WriteState,
  whenBegun,
  whenEdited,
  whenErased,
  whenFailed,
  whenInConflict,
  whenMade,
  whenNotCreated,
  whenNotSent,
  whenRead,
  whenRefused,
  whenRestored,
  whenSaved,
  whenTaken,
  whenUndone,
} from '../../src/model/record-core.js';

const { phantom, erased, temporaryId, unanswered } = new RecordCore();
const { error: noError, issues, failure, incomplete, begunAt, readAt, settledAt, createdAt } = new RecordCore();
const UNWRITTEN: WriteState = Object.freeze({
  ...{ phantom, erased, temporaryId, unanswered },
  ...{ error: noError, issues, failure, incomplete, begunAt, readAt, settledAt, createdAt },
});
type Event = (state: WriteState) => StateChange;
const nextState = (state: WriteState, event: Event): WriteState => Object.freeze({ ...state, ...event(state) });

const errorOf = (action: string, text: string) => Object.assign(new Error(text), { operation: { action } }) as never;
const [error, eraseError] = [errorOf('update', 'refused'), errorOf('destroy', 'refused')];
const [noAnswer, noErase] = [errorOf('update', 'no response'), errorOf('destroy', 'no response')];

const begun: Event = () => whenBegun(3);
const made: Event = () => whenMade(-1);
const unansweredSave: Event = (state) =>
  whenFailed(state, { error: noAnswer, ending: 'unconfirmed', isUnanswered: true, isErase: false });
const unansweredErase: Event = (state) =>
  whenFailed(state, { error: noErase, ending: 'unconfirmed', isUnanswered: true, isErase: true });

const apply = (...events: Event[]) => events.reduce(nextState, UNWRITTEN);
const STATES: Record<string, WriteState> = {
  unwritten: UNWRITTEN,
  new: apply(made),
  saving: apply(begun),
  creating: apply(made, begun),
  'create unconfirmed': apply(made, begun, unansweredSave),
  'update unconfirmed': apply(begun, unansweredSave),
  'erase unconfirmed': apply(unansweredErase),
};

const failed = { error, isUnanswered: false, isErase: false } as const;
const erasing = { error: eraseError, isUnanswered: false, isErase: true } as const;
const EVENTS: Record<string, Event> = {
  made: () => whenMade(-2),
  taken: (state) => whenTaken(state),
  edited: (state) => whenEdited(state),
  'read in part': (state) => whenRead(state, true, 4),
  begun: () => whenBegun(5),
  saved: (state) => whenSaved(state, 9, false),
  'failed: refused': (state) => whenFailed(state, { ...failed, ending: 'refused' }),
  'failed: unconfirmed': (state) => whenFailed(state, { ...failed, ending: 'unconfirmed' }),
  'failed: no news': (state) => whenFailed(state, { ...failed, ending: 'noNews' }),
  'failed: no response': (state) => whenFailed(state, { ...failed, ending: 'unconfirmed', isUnanswered: true }),
  'erase failed: refused': (state) => whenFailed(state, { ...erasing, ending: 'refused' }),
  'erase failed: unconfirmed': (state) => whenFailed(state, { ...erasing, ending: 'unconfirmed', isUnanswered: true }),
  notSent: () => whenNotSent(),
  notCreated: () => whenNotCreated(),
  erased: () => whenErased(9),
  refused: () => whenRefused(error),
  'in conflict': () => whenInConflict(error),
  restored: () => whenRestored(error, true),
  undone: () => whenUndone(9, whenMade(-2), undefined),
};

/** A value of the state as the table prints it. */
function shown(value: unknown): string {
  if (value === error || value === eraseError) return 'the error';
  if (value === noAnswer || value === noErase) return 'no response';
  if (Array.isArray(value)) return value.map(shown).join(' and ') || 'none';
  return value === undefined ? 'none' : String(value);
}

/** The members that an event has changed, as the table prints them: `error: none; settledAt: 9`. */
function cell(before: WriteState, after: WriteState): string {
  const names = Object.keys(before) as (keyof WriteState)[];
  const changed = names.filter((name) => shown(before[name]) !== shown(after[name]));
  return changed.map((name) => `${name}: ${shown(after[name])}`).join('; ') || '–';
}

/** The table that `docs/inside/write-states.md` prints, row by row. */
function printedTable(): string[][] {
  const lines = readFileSync('docs/inside/write-states.md', 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith('| event |'));
  const last = lines.findIndex((line, at) => at > first && !line.startsWith('|'));
  const rows = lines.slice(first, last).map((line) => line.split('|').slice(1, -1));
  return rows.filter((_, at) => at !== 1).map((row) => row.map((text) => text.trim()));
}

describe('the state of the writes of a record', () => {
  const states = Object.entries(STATES);
  const table = Object.entries(EVENTS).map(([name, event]) => [
    name,
    ...states.map(([, state]) => cell(state, nextState(state, event))),
  ]);

  test('changes as the table in docs/inside/write-states.md says: a member that is not named stays as it was', () => {
    expect(table).toEqual(printedTable().slice(1));
  });

  test('the table names each state and each kind of event', () => {
    expect(printedTable()[0]).toEqual(['event', ...Object.keys(STATES)]);
    const source = readFileSync('src/model/record-core.ts', 'utf8');
    const kinds = [...source.matchAll(/^export function (when\w+)/gm)].map(([, kind]) => kind);
    const told = Object.values(EVENTS).map((event) => /\bwhen\w+/.exec(String(event))?.[0]);
    expect(new Set(told)).toEqual(new Set(kinds));
  });

  test('an erased record is not unconfirmed', () => {
    for (const state of Object.values(STATES))
      expect(nextState(state, EVENTS['erased'] as Event).unanswered).toEqual([]);
  });

  test('a refusal says nothing about an unconfirmed write of the other kind', () => {
    const { 'update unconfirmed': update, 'erase unconfirmed': erase } = STATES as Record<string, WriteState>;
    const refusedErase = EVENTS['erase failed: refused'] as Event;
    const refusedUpdate = EVENTS['failed: refused'] as Event;
    expect(nextState(update as WriteState, refusedErase).unanswered).toEqual([noAnswer]);
    expect(nextState(update as WriteState, refusedUpdate).unanswered).toEqual([]);
    expect(nextState(erase as WriteState, refusedUpdate).unanswered).toEqual([noErase]);
    expect(nextState(erase as WriteState, refusedErase).unanswered).toEqual([]);
    const both = nextState(update as WriteState, unansweredErase);
    expect(both.unanswered).toEqual([noAnswer, noErase]);
    expect(nextState(both, refusedErase).unanswered).toEqual([noAnswer]);
    expect(nextState(both, refusedUpdate).unanswered).toEqual([noErase]);
  });

  test('has only changes that are frozen: a copy of one is none for the compiler', () => {
    const first = {
      at: 1,
      edits: new Map(),
      live: new Map(),
      written: new Map(),
      base: {},
    } as Partial<Change> as Change;
    // @ts-expect-error Only `captureChange()` and `changeWith()` make a change.
    const copy: Change = { ...first, id: 1 };
    expect([Object.isFrozen(copy), Object.isFrozen(changeWith(first, { id: 1 }))]).toEqual([false, true]);
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
