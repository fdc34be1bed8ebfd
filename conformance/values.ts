/** Turns the special values of a vector, such as `{"$nan":1}`, into the values that they stand for. */
export function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== 'object' || value === null) return value;
  const [[name, given] = ['', undefined], ...more] = Object.entries(value);
  if (more.length === 0) {
    if (name === '$undefined') return undefined;
    if (name === '$nan') return Number.NaN;
    if (name === '$infinity') return Number.POSITIVE_INFINITY;
    if (name === '$date') return new Date(given as string);
    if (name === '$repeat') return (given as [string, number])[0].repeat((given as [string, number])[1]);
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revive(each)]));
}
