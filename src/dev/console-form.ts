/** A record, as its form in a console shows it. */
interface ShownRecord {
  readonly phantom: boolean;
  readonly dirty: boolean;
  readonly erased: boolean;
  toJSON(): object;
}

/** Shows records in Node's console by their class, their state (phantom, dirty, erased) and their values. */
export function showInConsole(prototype: ShownRecord): void {
  Object.defineProperty(prototype, Symbol.for('nodejs.util.inspect.custom'), {
    configurable: true,
    writable: true,
    value(this: ShownRecord, _depth: number, options: object, inspect?: (value: unknown, options: object) => string) {
      const state = (['phantom', 'dirty', 'erased'] as const).filter((each) => this[each]);
      const name = [this.constructor.name, ...(state.length ? [`(${state.join(', ')})`] : [])].join(' ');
      return inspect ? `${name} ${inspect(this.toJSON(), options)}` : this.toJSON();
    },
  });
}
