import type { FieldDefinition } from './field-definition.js';
import { timeOf } from './field-types.js';
import { type MemberReader, memberReader } from './member-reader.js';
import { cacheInSlot, type currentValue, type InnerRecord } from './record.js';
import { CACHE, CORE, ROW } from './symbols.js';

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
