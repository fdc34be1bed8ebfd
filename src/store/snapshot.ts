import { chunkOf, itemAt, startsOf } from './chunks.js';

/** The records that a view shows at one moment. Immutable and cheap to make: consecutive snapshots share most of their data. */
export interface Snapshot<M> {
  readonly version: number;
  readonly count: number;
  at(index: number): M | undefined;
  slice(start?: number, end?: number): M[];
  [Symbol.iterator](): Iterator<M>;
}

/** A snapshot made of chunks that never change. */
export class ChunkSnapshot<M> implements Snapshot<M> {
  private starts: readonly number[] | undefined = undefined;

  constructor(
    readonly chunks: readonly (readonly M[])[],
    readonly count: number,
    readonly version: number,
  ) {}

  at(index: number): M | undefined {
    this.starts ??= startsOf(this.chunks);
    return itemAt(this.chunks, this.starts, index);
  }

  slice(start: number = 0, end: number = this.count): M[] {
    const from = start < 0 ? Math.max(this.count + start, 0) : start;
    const to = end < 0 ? this.count + end : Math.min(end, this.count);
    if (!(from < to)) return [];
    this.starts ??= startsOf(this.chunks);
    const found: M[] = [];
    for (let i = chunkOf(this.starts, from); i < this.chunks.length && (this.starts[i] as number) < to; i += 1) {
      const first = this.starts[i] as number;
      for (const record of (this.chunks[i] as M[]).slice(Math.max(from - first, 0), to - first)) found.push(record);
    }
    return found;
  }

  *[Symbol.iterator](): Iterator<M> {
    // Not `yield*`: delegating to each array takes several times as long.
    for (const chunk of this.chunks) for (const record of chunk) yield record;
  }
}
