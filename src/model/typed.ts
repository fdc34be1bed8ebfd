import { StateError } from '../errors/state-error.js';
import { MODEL } from '../operation/operation-record.js';
import { setMember } from '../util/data-path.js';
import type { BaseModel } from './base-model.js';
import type { FieldDefinition } from './field-definition.js';
import type { ModelDefinition } from './model-definition.js';
import { coreOf, currentValue, type InnerRecord, inner, setPath, setValues } from './record.js';
import { InnerState } from './record-state.js';

/** Gives a prototype its fields, and the members that are typed by them: `get`, `set` and `$`. */
export function installFields(prototype: object, model: ModelDefinition): void {
  const method = (name: string, value: unknown) =>
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
  Object.defineProperty(prototype, MODEL, { value: model, configurable: true });
  method('get', function (this: BaseModel, name: string) {
    const field = model.field(name);
    if (!field) throw new StateError('field', 'field-unknown', { field: name, model: model.name });
    return currentValue(inner(this), field);
  });
  method('set', function (this: BaseModel, path: unknown, value: unknown) {
    if (typeof path === 'string') setPath(inner(this), path, value);
    else setValues(inner(this), path as object);
    return this;
  });
  Object.defineProperty(prototype, '$', {
    configurable: true,
    get(this: BaseModel) {
      const core = coreOf(inner(this));
      core.state ??= new InnerState(inner(this));
      return core.state;
    },
  });
  Object.defineProperty(prototype, Symbol.for('nodejs.util.inspect.custom'), { value: show, configurable: true });
  for (const field of model.fields) installField(prototype, field);
}

function installField(prototype: object, field: FieldDefinition): void {
  const { name } = field;
  Object.defineProperty(prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: InnerRecord) {
      return currentValue(this, field);
    },
    set(this: InnerRecord, value: unknown) {
      const values = {};
      setMember(values, name, value);
      setValues(this, values);
    },
  });
}

/** How consoles show a record: its class, what is special about it, its values. */
function show(
  this: BaseModel,
  _depth: number,
  options: object,
  inspect?: (value: unknown, options: object) => string,
): unknown {
  const state = (['phantom', 'dirty', 'erased'] as const).filter((each) => this[each]);
  const name = [this.constructor.name, ...(state.length ? [`(${state.join(', ')})`] : [])].join(' ');
  return inspect ? `${name} ${inspect(this.toJSON(), options)}` : this.toJSON();
}
