/** What a store shows at one moment: immutable, made in no time. */
export interface Snapshot<M> {
  readonly version: number;
  readonly count: number;
  at(index: number): M | undefined;
  slice(start?: number, end?: number): M[];
}

/** A snapshot of a view that is never changed, only replaced. */
export function createSnapshot<M>(view: readonly M[], version: number): Snapshot<M> {
  return { version, count: view.length, at: (index) => view[index], slice: (start, end) => view.slice(start, end) };
}
