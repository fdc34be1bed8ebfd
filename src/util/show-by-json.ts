interface WithJson {
  toJSON(): object;
}

/**
 * Shows the objects of a class in Node's console by what their `toJSON` returns. Their other members may hold headers, tokens and rows,
 * which must not get into logs.
 */
export function showByJson(prototype: WithJson): void {
  const value = inspectByJson;
  Object.defineProperty(prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value,
    configurable: true,
    writable: true,
  });
}

function inspectByJson(
  this: WithJson,
  _depth: number,
  options: object,
  inspect?: (value: unknown, options: object) => string,
): unknown {
  const shown = this.toJSON();
  return inspect ? `${this.constructor.name} ${inspect(shown, options)}` : shown;
}
