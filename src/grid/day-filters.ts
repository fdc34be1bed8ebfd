import type { ModelDefinition } from '../model/model-definition.js';
import type { Filter, Operator } from '../operation/query-parts.js';
import { refuseLibraryQuery } from './refuse-query.js';

/** The moments of a day in the user's time zone: from the first one up to, but not including, the first one of the next day. */
export interface DayTimes {
  readonly start: Date;
  readonly end: Date;
}

/** The day in a text such as `2026-11-23 00:00:00`, as `2026-11-23`. Throws `UnsupportedQueryError` for a text without a day. */
export function dayOf(text: string | null | undefined, model: ModelDefinition, library: string): string {
  const [, day] = /^(\d{4}-\d\d-\d\d)(?:[ T]|$)/.exec(text ?? '') ?? [];
  if (day === undefined || Number.isNaN(timesOf(day).start.getTime()))
    throw refuseLibraryQuery(model, library, `the day '${text}'`, 'filter by days such as `2026-11-23`');
  return day;
}

export function timesOf(day: string): DayTimes {
  const start = new Date(`${day}T00:00:00`);
  // A zone that moves to the other side of the date line leaves a day out: the time is then that of the next one.
  if (start.getDate() !== Number(day.slice(-2))) return { start, end: start };
  // A day has 23 or 25 hours when the clocks change, and some begin at 1:00.
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  end.setHours(0, 0, 0, 0);
  return { start, end };
}

/** Compares moments with whole days. */
export function timesFilter(property: string, operator: Operator, from: DayTimes, to: DayTimes): Filter {
  const compare = (by: Operator, value: Date): Filter => ({ property, operator: by, value });
  if (operator === 'lt') return compare('lt', from.start);
  if (operator === 'le') return compare('lt', from.end);
  if (operator === 'gt') return compare('ge', from.end);
  if (operator === 'ge') return compare('ge', from.start);
  const days: Filter = { and: [compare('ge', from.start), compare('lt', to.end)] };
  return operator === 'ne' ? { not: days } : days;
}
