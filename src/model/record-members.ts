import { StateError } from '../errors/state-error.js';
import { MODEL } from '../operation/operation-record.js';
import { coreOf, currentValue, type InnerRecord, setPath, setValues } from './record.js';
import { InnerState } from './record-state.js';

/** The members of a record whose types come with its fields: {@link Typed} declares them. */
export class RecordMembers {
  get(this: InnerRecord, name: string): unknown {
    const model = this[MODEL];
    const field = model.field(name);
    if (!field) throw new StateError('field', 'field-unknown', { field: name, model: model.name });
    return currentValue(this, field);
  }

  set(this: InnerRecord, path: string | object, value: unknown): object {
    if (typeof path === 'string') setPath(this, path, value);
    else setValues(this, path);
    return this;
  }

  get $(): unknown {
    const record = this as unknown as InnerRecord;
    const core = coreOf(record);
    core.state ??= new InnerState(record);
    return core.state;
  }
}
