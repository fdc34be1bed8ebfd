import fc from 'fast-check';
import { localDateTime, Model, RecordForm, range, StateError } from 'repose';
import { afterEach, describe, expect, test } from 'vitest';

class Visit extends Model.define({
  name: 'visit',
  fields: {
    id: 'int',
    at: { type: 'date', allowNull: true, validators: [range({ min: new Date('2026-01-01T12:00:00Z') })] },
    end: 'date',
  },
}) {}

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const AT = '2026-03-10T18:30:00Z';
const formOf = (at: string | null) => new RecordForm(Visit.fromRow({ id: 1, at, end: AT }));
const usual = (form: RecordForm<Visit>, name: 'at' | 'end' = 'at') => ({
  name,
  type: 'date' as const,
  value: form.field(name).get().text,
});
const shown = (form: RecordForm<Visit>) => localDateTime(usual(form), form.record).value;
const type = (form: RecordForm<Visit>, value: string) => form.enter('at', { type: 'datetime-local', value });

/** Zones east and west, of half and quarter hours, and with clocks that are set by one hour and by half an hour. */
const ZONES = [
  ...['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe'],
  ...['Pacific/Kiritimati', 'America/St_Johns'],
];

describe.each([
  ['America/New_York', '2026-03-10T14:30', '2026-03-11T09:00', '2026-03-11T13:00:00.000Z'],
  ['Asia/Kolkata', '2026-03-11T00:00', '2026-03-11T09:00', '2026-03-11T03:30:00.000Z'],
  ['UTC', '2026-03-10T18:30', '2026-03-11T09:00', '2026-03-11T09:00:00.000Z'],
])('in %s', (TZ, text, typed, instant) => {
  test('an instant is shown and edited in the zone of the user', () => {
    process.env['TZ'] = TZ;
    const form = formOf(AT);
    expect([shown(form), form.record.dirty]).toEqual([text, false]);
    type(form, typed);
    expect([shown(form), form.record.at?.toISOString()]).toEqual([typed, instant]);
  });

  test('an instant that the application sets replaces the typed text, with its seconds', () => {
    process.env['TZ'] = TZ;
    const form = formOf(AT);
    type(form, typed);
    form.set('at', new Date('2026-03-10T18:30:05Z'));
    expect(shown(form)).toBe(`${text}:05`);
    form.set('at', new Date('2026-03-10T18:30:00.070Z'));
    expect(shown(form)).toBe(`${text}:00.070`);
  });
});

test('the text of an instant that is typed gives the same instant, in all zones', () => {
  const instant = fc.date({ min: new Date('1975-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instant, (TZ, at) => {
      process.env['TZ'] = TZ;
      const form = formOf(at.toISOString());
      const text = shown(form) ?? '';
      form.set('at', null);
      type(form, text);
      // A time that the clocks repeat is the first of both.
      const repeated = Number(at) - Number(form.record.at);
      expect([0, 30 * 60_000, 60 * 60_000]).toContain(repeated);
      form.set('at', form.record.at);
      expect(shown(form)).toBe(text);
    }),
  );
});

test('an instant of summer time is shown in summer time', () => {
  process.env['TZ'] = 'Europe/Berlin';
  const texts = ['2026-07-01T10:00:00Z', '2026-01-01T10:00:00Z'].map((at) => shown(formOf(at)));
  expect(texts).toEqual(['2026-07-01T12:00', '2026-01-01T11:00']);
});

test.each([
  ['skip is one hour later', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
  ['repeat is the first of both', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
])('a time that the clocks %s', (_, typed, instant) => {
  process.env['TZ'] = 'America/New_York';
  const form = formOf(AT);
  type(form, typed);
  expect([shown(form), form.record.at?.toISOString()]).toEqual([typed, instant]);
});

test('showing an instant that the clocks repeat does not edit it', () => {
  process.env['TZ'] = 'America/New_York';
  const form = formOf('2026-11-01T06:30:00.123Z');
  expect(shown(form)).toBe('2026-11-01T01:30:00.123');
  form.touch('at');
  expect([form.record.at?.toISOString(), form.record.dirty]).toEqual(['2026-11-01T06:30:00.123Z', false]);
});

test('no instant is an empty text, and an emptied input is none', () => {
  const form = formOf(null);
  expect(shown(form)).toBe('');
  type(form, '2026-03-11T09:00');
  type(form, '');
  expect([shown(form), form.record.at, form.record.dirty]).toEqual(['', null, false]);
  const dated = formOf(AT);
  type(dated, '');
  expect([shown(dated), dated.record.at]).toEqual(['', null]);
});

test('a part of a time that the user types stays in the input', () => {
  const form = formOf(AT);
  form.enter('at', { type: 'datetime-local', value: '', validity: { badInput: true } });
  expect(form.state.get().typed).toEqual({ at: '' });
  expect(localDateTime({ name: 'at', value: form.state.get().typed.at }, form.record).value).toBe('');
  expect(form.record.at?.toISOString()).toBe('2026-03-10T18:30:00.000Z');
});

test('a text that is no value is shown as it is', () => {
  const form = formOf(AT);
  form.record.set('at', 'soon' as never);
  expect(shown(form)).toBe('soon');
});

test('limits are in the zone of the user, and other attributes stay', () => {
  process.env['TZ'] = 'Asia/Kolkata';
  const form = formOf(AT);
  const given = { ...usual(form), id: 'a', min: '2026-01-01', max: undefined };
  expect(localDateTime(given, form.record)).toEqual({
    ...{ id: 'a', name: 'at', type: 'datetime-local', value: '2026-03-11T00:00' },
    ...{ min: '2026-01-01T17:30', max: undefined },
  });
});

test('a name that is no field is refused', () => {
  expect(() => localDateTime({ name: 'none', value: '' }, formOf(AT).record)).toThrow(StateError);
});
