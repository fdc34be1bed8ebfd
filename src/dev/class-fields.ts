import { DefinitionError } from '../errors/mistakes.js';
import { CHECKED, FROM_ROW } from '../model/symbols.js';
import { MODEL, type RecordModel } from '../operation/operation-record.js';

/** A class of records, with any constructor. */
type RecordClass = (abstract new (...args: never) => object) & { readonly prototype: object };

/** A record, as these checks see it. */
interface CheckedRecord {
  readonly [CHECKED]?: unknown;
  readonly [MODEL]: RecordModel;
}

/** Marks the prototype of a class while one record is made only to look at its class fields. */
interface Probe {
  record: CheckedRecord | undefined;
}

// A class field such as `title!: string` is defined on each record, and hides the accessor of the model's field `title` on the
// prototype. JavaScript defines it after the base class's constructor has run, so that constructor cannot see it on its own
// record.

/**
 * Checks the class fields of a class, unless they were checked before, by making one more record: the probe. Returns whether the
 * record under construction is the probe. Throws `DefinitionError` for a class field that hides a field of the model.
 */
export function checkBeforeFirst(record: CheckedRecord, Class: RecordClass, options: unknown): boolean {
  const { prototype } = Class;
  const probe = Object.hasOwn(prototype, CHECKED) ? (record[CHECKED] as Probe) : undefined;
  if (probe) {
    const isProbe = probe.record === undefined;
    probe.record ??= record;
    return isProbe;
  }
  // `fromRow` checks the record that it makes, and so needs no probe.
  if (options !== FROM_ROW) checkProbe(Class);
  return false;
}

/** Makes one more record of a class, to check its class fields. */
function checkProbe(Class: RecordClass): void {
  const probe: Probe = { record: undefined };
  // A frozen class cannot be marked as checked, so a probe would be made again for each record.
  if (!mark(Class, probe)) return;
  try {
    Reflect.construct(Class, [{}, FROM_ROW]);
  } catch {
    // The constructor may need other arguments. Its class fields were defined before its own statements ran, so they can be
    // checked.
  }
  if (probe.record) checkClassFields(probe.record, Class);
  else mark(Class, Class);
}

/**
 * Throws `DefinitionError` if a class field of a record hides a field of its model. Otherwise it marks the class as checked, so
 * that no further record of the class is checked.
 */
export function checkClassFields(record: CheckedRecord, Class: RecordClass): void {
  const { name: model, fields } = record[MODEL];
  const hidden = fields.map(({ name }) => name).filter((name) => Object.hasOwn(record, name));
  if (hidden.length === 0) {
    mark(Class, Class);
    return;
  }
  Reflect.deleteProperty(Class.prototype, CHECKED);
  const field = hidden[0] as string;
  throw new DefinitionError(
    'field-hidden',
    { Class: Class.name, model, field, fields: hidden.join("', '") },
    { messages: record[MODEL].messages },
  );
}

function mark(Class: RecordClass, value: unknown): boolean {
  return Reflect.defineProperty(Class.prototype, CHECKED, { value, configurable: true });
}
