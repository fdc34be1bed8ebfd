import { BaseModel } from './base-model.js';

/** Shows a record in Node's console by its class, its state (phantom, dirty, erased) and its values. */
export const ConsoleModel: typeof BaseModel = class extends BaseModel {
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: object,
    inspect?: (value: unknown, options: object) => string,
  ): unknown {
    const state = (['phantom', 'dirty', 'erased'] as const).filter((each) => this[each]);
    const name = [this.constructor.name, ...(state.length ? [`(${state.join(', ')})`] : [])].join(' ');
    return inspect ? `${name} ${inspect(this.toJSON(), options)}` : this.toJSON();
  }
};
