/** How often the parts of a screen were rendered. */
export interface Renders {
  cell: number;
  row: number;
  grid: number;
}

declare global {
  interface Window {
    /** Read by the tests. */
    renders: Renders;
  }
}

window.renders = { cell: 0, row: 0, grid: 0 };

/** Counts a render of a part, and returns the value: `{{ counted('cell', title) }}`. */
export function counted<T>(part: keyof Renders, value: T): T {
  window.renders[part] += 1;
  return value;
}
