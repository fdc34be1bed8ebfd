import { DefinitionError } from '../errors/definition-error.js';
import { MODEL } from '../operation/operation-record.js';
import type { InnerRecord } from './record.js';
import { CHECKED, FROM_ROW } from './symbols.js';

/** A class of records, whatever its constructor takes. */
type RecordClass = (abstract new (...args: never) => object) & { readonly prototype: object };

/** Stands on a class's prototype while its probe is made. */
interface Probe {
  record: InnerRecord | undefined;
}

// A class field such as `title!: string` is defined on each record and hides the accessor of the model's field `title` on the
// prototype. It is defined after the constructor of the base class has run, so that one cannot see it on its own record.

/**
 * Looks at the class fields of a class of which no record was looked at yet. Returns whether the record under construction is the
 * probe. Throws `DefinitionError` for a class field that hides a field of the model.
 */
export function checkFirst(record: InnerRecord, Class: RecordClass, how: unknown): boolean {
  const { prototype } = Class;
  const probe = Object.hasOwn(prototype, CHECKED) ? (record[CHECKED] as Probe) : undefined;
  if (probe) {
    const isProbe = probe.record === undefined;
    probe.record ??= record;
    return isProbe;
  }
  // `fromRow` looks at the record that it has made.
  if (how !== FROM_ROW) checkProbe(Class);
  return false;
}

/** Makes one record more of a class, to look at its class fields. */
function checkProbe(Class: RecordClass): void {
  const probe: Probe = { record: undefined };
  // A class that was frozen cannot be marked: it would be probed for each record.
  if (!mark(Class, probe)) return;
  try {
    Reflect.construct(Class as never, [{}, FROM_ROW]);
  } catch {
    // A constructor may want other arguments. Class fields are defined before its own statements run.
  }
  if (probe.record) checkClassFields(probe.record, Class);
  else mark(Class, Class);
}

/** Throws `DefinitionError` where a class field of a record hides a field of its model; else no record of its class is looked at again. */
export function checkClassFields(record: InnerRecord, Class: RecordClass): void {
  const { name: model, fields } = record[MODEL];
  const hidden = fields.map(({ name }) => name).filter((name) => Object.hasOwn(record, name));
  if (hidden.length === 0) {
    mark(Class, Class);
    return;
  }
  Reflect.deleteProperty(Class.prototype, CHECKED);
  const [field] = hidden;
  throw new DefinitionError('field-hidden', { Class: Class.name, model, field, fields: hidden.join("', '") });
}

function mark(Class: RecordClass, value: unknown): boolean {
  return Reflect.defineProperty(Class.prototype, CHECKED, { value, configurable: true });
}
