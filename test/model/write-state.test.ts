import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Change, changeWith } from '../../src/model/change.js';
import { changesBy, RecordCore, type WriteEvent, type WriteState } from '../../src/model/record-core.js';

const { phantom, erased, temporaryId, unconfirmed, openErase } = new RecordCore();
const { error: noError, issues, failure, incomplete, begunAt, readAt, settledAt, createdAt } = new RecordCore();
const UNWRITTEN: WriteState = Object.freeze({
  ...{ phantom, erased, temporaryId, unconfirmed, openErase },
  ...{ error: noError, issues, failure, incomplete, begunAt, readAt, settledAt, createdAt },
});
const nextState = (state: WriteState, event: WriteEvent): WriteState =>
  Object.freeze({ ...state, ...changesBy(state, event) });

const error = new Error('refused') as never;
const noAnswerTo = (action: string) => Object.assign(new Error('no response'), { operation: { action } }) as never;
const [noAnswer, noErase] = [noAnswerTo('update'), noAnswerTo('destroy')];

const apply = (...events: WriteEvent[]) => events.reduce(nextState, UNWRITTEN);
const STATES: Record<string, WriteState> = {
  unwritten: UNWRITTEN,
  new: apply({ type: 'made', temporaryId: -1 }),
  saving: apply({ type: 'begun', at: 3 }),
  creating: apply({ type: 'made', temporaryId: -1 }, { type: 'begun', at: 3 }),
  'create unconfirmed': apply(
    { type: 'made', temporaryId: -1 },
    { type: 'begun', at: 3 },
    { type: 'failed', error: noAnswer, ending: 'unconfirmed', isUnanswered: true, isErase: false },
  ),
  'update unconfirmed': apply(
    { type: 'begun', at: 3 },
    { type: 'failed', error: noAnswer, ending: 'unconfirmed', isUnanswered: true, isErase: false },
  ),
  'erase unconfirmed': apply({
    type: 'failed',
    error: noErase,
    ending: 'unconfirmed',
    isUnanswered: true,
    isErase: true,
  }),
};

const failed = { type: 'failed', error, isUnanswered: false, isErase: false } as const;
const EVENTS: Record<string, WriteEvent> = {
  made: { type: 'made', temporaryId: -2 },
  taken: { type: 'taken' },
  edited: { type: 'edited' },
  'read in part': { type: 'read', incomplete: true, at: 4 },
  begun: { type: 'begun', at: 5 },
  saved: { type: 'saved', at: 9, incomplete: false },
  'failed: refused': { ...failed, ending: 'refused' },
  'failed: unconfirmed': { ...failed, ending: 'unconfirmed' },
  'failed: no news': { ...failed, ending: 'noNews' },
  'failed: no response': { ...failed, ending: 'unconfirmed', isUnanswered: true },
  'erase failed: refused': { ...failed, ending: 'refused', isErase: true },
  'erase failed: unconfirmed': { ...failed, ending: 'unconfirmed', isUnanswered: true, isErase: true },
  notSent: { type: 'notSent' },
  notCreated: { type: 'notCreated' },
  erased: { type: 'erased', at: 9 },
  refused: { type: 'refused', error },
};

/** A value of the state as the table prints it. */
function shown(value: unknown): string {
  if (value === error) return 'the error';
  if (value === noAnswer || value === noErase) return 'no response';
  if (Array.isArray(value)) return `[${value.map(shown).join()}]`;
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
    const kinds = new Set([...source.matchAll(/^ {4}case '(\w+)'/gm)].map(([, kind]) => kind));
    expect(new Set(Object.values(EVENTS).map(({ type }) => type))).toEqual(kinds);
  });

  test('an erased record is not unconfirmed', () => {
    for (const state of Object.values(STATES))
      expect(nextState(state, EVENTS['erased'] as WriteEvent).unconfirmed).toBeUndefined();
  });

  test('a refusal says nothing about an unconfirmed write of the other kind', () => {
    const { 'update unconfirmed': update, 'erase unconfirmed': erase } = STATES as Record<string, WriteState>;
    const refusedErase = EVENTS['erase failed: refused'] as WriteEvent;
    const refusedUpdate = EVENTS['failed: refused'] as WriteEvent;
    expect(nextState(update as WriteState, refusedErase).unconfirmed).toBe(noAnswer);
    expect(nextState(update as WriteState, refusedUpdate).unconfirmed).toBeUndefined();
    expect(nextState(erase as WriteState, refusedUpdate).unconfirmed).toBe(noErase);
    expect(nextState(erase as WriteState, refusedErase).unconfirmed).toBeUndefined();
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
