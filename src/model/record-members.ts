import { coreOf, currentValue, fieldOf, type InnerRecord, setPath, setValues } from './record.js';
import { InnerState } from './record-state.js';

/** The members of a record whose types depend on its fields; the interface `Typed` declares their types. */
export class RecordMembers {
  get(this: InnerRecord, name: string): unknown {
    return currentValue(this, fieldOf(this, name));
  }

  set(this: InnerRecord, path: string | object, value: unknown): object {
    if (typeof path === 'string') setPath(this, path, value);
    else setValues(this, path);
    return this;
  }

  get $(): unknown {
    const record = this as unknown as InnerRecord;
    const core = coreOf(record);
    return (core.state ??= new InnerState(record));
  }
}
