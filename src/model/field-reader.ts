import type { FieldDefinition } from './field-definition.js';
import { timeOf } from './field-types.js';
import { cacheInSlot, type currentValue, type InnerRecord } from './record.js';
import { CACHE, CORE, ROW } from './symbols.js';

/** Reads one member of a row. */
export type MemberReader = (row: Readonly<Record<string, unknown>>) => unknown;

// V8 optimises each place in the code for the members that are read there. If one place read all members, every read would be a
// slow look-up; with many places, most members have a place of their own.
const places: readonly ((member: string) => MemberReader)[] = [
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
  (member) => (row) => row[member],
];

/** Makes a function that reads a member. Members of the same name share a place in the code, also if their models differ. */
export function memberReader(member: string): MemberReader {
  let sum = 0;
  for (let at = 0; at < member.length; at += 1) sum = (sum * 31 + member.charCodeAt(at)) % 65_521;
  return (places[sum % places.length] as (member: string) => MemberReader)(member);
}

/** Reads a date of a record without edits; undefined if only the general way can read the value. */
function readDate(
  record: InnerRecord,
  field: FieldDefinition,
  readMember: MemberReader,
  caches: boolean,
): Date | undefined {
  if (record[CORE]) return undefined;
  const cached = field.slot < 0 ? undefined : record[CACHE]?.[field.slot];
  if (typeof cached === 'number') return new Date(cached);
  const raw = readMember(record[ROW]);
  const time = typeof raw === 'string' ? timeOf(raw) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  if (caches) cacheInSlot(record, field, time);
  return new Date(time);
}

/**
 * Makes a function that reads a field. Most values need no conversion and are read directly from the row; `slow` reads the
 * others.
 */
export function createReader(
  field: FieldDefinition,
  slow: typeof currentValue,
  caches: boolean = true,
): (record: InnerRecord) => unknown {
  const { member, kind } = field;
  if (member === undefined || kind === undefined) return (record) => slow(record, field);
  const readMember = memberReader(member);
  if (kind === 'date') return (record) => readDate(record, field, readMember, caches) ?? slow(record, field);
  return (record) => {
    if (record[CORE] === undefined) {
      const raw = readMember(record[ROW]);
      if (typeof raw === kind) return raw;
    }
    return slow(record, field);
  };
}
