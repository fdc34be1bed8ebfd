import { chunkOf, itemAt, startsOf } from './chunks.js';

/**
 * The records of a list in their order, at one moment: the value of the source `store.list` or `view.list`. Immutable, and cheap to
 * make: consecutive snapshots share most of their data.
 */
export interface ListSnapshot<M> {
  /** Number of records. */
  readonly count: number;
  /** The record at an index; undefined if there is none. */
  at(index: number): M | undefined;
  /**
   * The records from index `start` up to, but not including, `end`, as a new array. Negative numbers count from the end.
   *
   * @example
   * ```ts
   * const names = users.list.get().slice(0, 50).map(({ name }) => name);
   * const [newest] = users.list.get().slice(-1);
   * ```
   */
  slice(start?: number, end?: number): M[];
  [Symbol.iterator](): Iterator<M>;
}

/** A snapshot made of chunks that never change. */
export class ChunkSnapshot<M> implements ListSnapshot<M> {
  // Inside an object, because snapshots are frozen.
  private readonly cache: { starts?: readonly number[] } = {};

  constructor(
    readonly chunks: readonly (readonly M[])[],
    readonly count: number,
  ) {
    Object.freeze(this);
  }

  at(index: number): M | undefined {
    return itemAt(this.chunks, this.starts, index);
  }

  slice(start: number = 0, end: number = this.count): M[] {
    const from = start < 0 ? Math.max(this.count + start, 0) : start;
    const to = end < 0 ? this.count + end : Math.min(end, this.count);
    if (!(from < to)) return [];
    const { starts } = this;
    const found: M[] = [];
    for (let i = chunkOf(starts, from); i < this.chunks.length && (starts[i] as number) < to; i += 1) {
      const first = starts[i] as number;
      for (const record of (this.chunks[i] as M[]).slice(Math.max(from - first, 0), to - first)) found.push(record);
    }
    return found;
  }

  *[Symbol.iterator](): Iterator<M> {
    // Not `yield*`: delegating to each array takes several times as long.
    for (const chunk of this.chunks) for (const record of chunk) yield record;
  }

  private get starts(): readonly number[] {
    return (this.cache.starts ??= startsOf(this.chunks));
  }
}
