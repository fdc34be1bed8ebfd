import type { DataError } from '../errors/data-error.js';
import type { Issue } from '../errors/issue.js';
import { MODEL } from '../operation/operation-record.js';
import { setMember } from '../util/data-path.js';
import { sealed } from '../util/values.js';
import type { ActionOptions } from './action-options.js';
import type { BaseModel } from './base-model.js';
import { randomId } from './identifier.js';
import type { RecordState } from './infer.js';
import { baseValue, coreOf, currentValue, type InnerRecord } from './record.js';
import { CORE } from './symbols.js';
import { findIssues, issuesByField } from './validate.js';

type Named = Readonly<Record<string, unknown>>;

/** What `record.$` is. */
export class InnerState implements RecordState<Named, BaseModel> {
  // Not enumerable: a state that is logged or compared must not drag its record in.
  declare private readonly record: InnerRecord;

  constructor(record: InnerRecord) {
    Object.defineProperty(this, 'record', { value: record });
  }

  get key(): string {
    const core = coreOf(this.record);
    core.key ??= randomId();
    return core.key;
  }

  get data(): Named {
    const values = {};
    for (const field of this.record[MODEL].fields) setMember(values, field.name, currentValue(this.record, field));
    return values;
  }

  get modified(): Named {
    const values = {};
    for (const [field, value] of this.record[CORE]?.edits ?? []) setMember(values, field.name, sealed(value));
    return values;
  }

  get previousValues(): Named {
    const values = {};
    for (const field of this.record[CORE]?.edits?.keys() ?? [])
      setMember(values, field.name, sealed(baseValue(this.record, field)));
    return values;
  }

  get saving(): boolean {
    return this.record[CORE]?.lane.busy ?? false;
  }

  get error(): DataError | undefined {
    return this.record[CORE]?.error;
  }

  get errors(): Readonly<Record<string, readonly Issue[]>> {
    return issuesByField(this.record);
  }

  isValid(): boolean {
    return this.validate().length === 0;
  }

  validate(): readonly Issue[] {
    return findIssues(this.record, false);
  }

  copy(): BaseModel {
    const { fields, idField } = this.record[MODEL];
    const values = {};
    for (const field of fields) {
      if (field === idField || !field.writable) continue;
      const value = currentValue(this.record, field);
      const { embedding } = field;
      // Embedded records belong to one parent: the copy gets its own.
      if (value !== undefined)
        setMember(values, field.name, embedding ? embedding.read(embedding.write(value)) : value);
    }
    const Class = this.record.constructor as new (data: object, options: object) => BaseModel;
    return new Class(values, { phantom: true });
  }

  abort(): void {
    for (const controller of this.record[CORE]?.controllers ?? []) controller.abort();
  }

  reload(options?: ActionOptions<BaseModel>): Promise<BaseModel> {
    return (this.record as unknown as BaseModel).load(options as never);
  }
}
