import { CHUNK_SIZE, countOf, countWhile, cutChunks, itemAt, startsOf } from './chunks.js';

/** The place of an item: the number of its chunk, and its index in that chunk. */
export interface Place {
  readonly chunk: number;
  readonly at: number;
}

/** The items that were inserted into a list or deleted from it since a moment: whether each was in the list then, and is there now. */
export type Touched<T> = ReadonlyMap<T, Touch>;
interface Touch {
  readonly was: boolean;
  is: boolean;
}

/** The key that an order compares first: how to read it from an item, and how to compare two keys. */
export interface FirstKey<T> {
  // A method type, because parameters of methods are bivariant.
  readonly read: { read(item: T): unknown }['read'];
  readonly compare: (a: unknown, b: unknown) => number;
}

/**
 * A sorted list in chunks. The order must have no ties. Finding, inserting and deleting cost a binary search, and moving a part of one
 * chunk; positions are never stored. The chunks that `freeze()` returns never change: a chunk is copied before its next change.
 */
export class SortedList<T> {
  /** Number of items. */
  count: number;
  protected readonly chunks: (readonly T[])[];
  private starts: readonly number[] | undefined = undefined;
  /** The first key of the last item of each chunk: with these, a search does not touch the items of the chunks that it passes. */
  private readonly lasts: unknown[];
  private readonly firstKey: FirstKey<T>;
  /** For each chunk, whether only this list holds it, so that it can be changed without a copy. */
  private readonly owned: boolean[];
  /** Undefined while nobody needs them. */
  protected touched: Map<T, Touch> | undefined = undefined;

  /**
   * Takes chunks of items that are in order already, and owns them from now on. If others hold the chunks, call `freeze()` at once.
   */
  constructor(
    chunks: readonly (readonly T[])[],
    // A method type, because parameters of methods are bivariant.
    private readonly order: { order(a: T, b: T): number }['order'],
    /** The key that the order compares first. @default the item itself */
    first?: FirstKey<T>,
    /**
     * The first keys of all items, in chunks of the same lengths: a search reads them instead of an item and its row, which is
     * faster.
     */
    private readonly keys: unknown[][] | undefined = first && chunks.map((chunk) => chunk.map(first.read)),
  ) {
    this.owned = chunks.map(() => true);
    this.chunks = chunks as (readonly T[])[];
    this.count = countOf(chunks);
    this.firstKey = first ?? { read: (item) => item, compare: order as FirstKey<T>['compare'] };
    this.lasts = (keys ?? chunks).map((chunk) => chunk.at(-1));
  }

  /** The chunks as they are now; they never change. */
  freeze(): readonly (readonly T[])[] {
    this.owned.fill(false);
    return [...this.chunks];
  }

  /**
   * Returns the items inserted or deleted since the last call, if that call asked for them by `again`: otherwise they are not noted,
   * and the result is undefined.
   */
  takeTouched(again: boolean): Touched<T> | undefined {
    const { touched } = this;
    this.touched = again ? new Map() : undefined;
    return touched;
  }

  at(index: number): T | undefined {
    this.starts ??= startsOf(this.chunks);
    return itemAt(this.chunks, this.starts, index);
  }

  /**
   * The place of an item; undefined if it is not found. Looks only at the place given by the order, or with `everywhere` at all
   * items.
   */
  find(item: T, everywhere: boolean = false): Place | undefined {
    const { chunks } = this;
    const chunk = everywhere ? chunks.findIndex((items) => items.includes(item)) : this.chunkFor(item);
    // `indexOf` compares identities, so it does not read the values of the neighbours as a binary search would.
    const at = chunks[chunk]?.indexOf(item) ?? -1;
    return at < 0 ? undefined : { chunk, at };
  }

  indexOf({ chunk, at }: Place): number {
    this.starts ??= startsOf(this.chunks);
    return (this.starts[chunk] as number) + at;
  }

  insert(item: T): void {
    this.count += 1;
    this.touch(item, false);
    if (this.count === 1) return this.replace(0, 0, [[item]]);
    const { chunk, at } = this.placeFor(item);
    const items = this.writableChunk(chunk);
    const keys = this.keys?.[chunk];
    const isLast = at === items.length;
    const key = this.firstKey.read(item);
    items.splice(at, 0, item);
    keys?.splice(at, 0, key);
    if (isLast) this.lasts[chunk] = key;
    if (items.length <= 2 * CHUNK_SIZE) return;
    // A list that grows at its end should keep full chunks, so the last chunk is cut behind its full size.
    const cutAt = isLast ? 2 * CHUNK_SIZE : CHUNK_SIZE;
    this.replace(chunk, 1, [items, items.splice(cutAt)], keys && [keys, keys.splice(cutAt)]);
  }

  /** Adds items behind all others. The items must be in order. */
  append(items: readonly T[]): void {
    if (this.touched) for (const item of items) this.touch(item, false);
    const last = this.chunks.at(-1);
    const open = last && last.length < CHUNK_SIZE ? last : undefined;
    let at = this.chunks.length - (open ? 1 : 0);
    for (const chunk of cutChunks(open ? [...open, ...items] : items)) {
      this.replace(at, 1, [chunk]);
      at += 1;
    }
    this.count += items.length;
  }

  delete({ chunk, at }: Place): void {
    const items = this.writableChunk(chunk);
    const keys = this.keys?.[chunk];
    this.touch(items[at] as T, true);
    items.splice(at, 1);
    keys?.splice(at, 1);
    this.count -= 1;
    const next = this.chunks[chunk + 1];
    if (next && items.length + next.length < CHUNK_SIZE) this.replace(chunk, 2, [[...items, ...next]]);
    else if (items.length === 0) this.replace(chunk, 1, []);
    else if (at === items.length) this.lasts[chunk] = (keys ?? items).at(-1);
  }

  /**
   * Leaves a changed item at its place, and returns true, if it still fits between its neighbours there. Returns false for the first and
   * the last item of a chunk, and for an item that must move: then the caller deletes the item and inserts it again.
   */
  updateInPlace({ chunk, at }: Place, item: T): boolean {
    const compareAt = this.comparerTo(item, chunk);
    const inside = at > 0 && at + 1 < (this.chunks[chunk] as readonly T[]).length;
    if (!inside || compareAt(at - 1) > 0 || compareAt(at + 1) < 0) return false;
    this.keys?.[chunk]?.splice(at, 1, this.firstKey.read(item));
    return true;
  }

  /** A function that compares the item at an index of a chunk with `item`. */
  private comparerTo(item: T, chunk: number): (at: number) => number {
    const { chunks, order, firstKey } = this;
    const items = chunks[chunk] as readonly T[];
    const keys = this.keys?.[chunk] ?? items;
    const key = firstKey.read(item);
    return (at) => firstKey.compare(keys[at], key) || order(items[at] as T, item);
  }

  /** The first chunk whose last item is not before `item`; the number of chunks if there is none. */
  private chunkFor(item: T): number {
    const { chunks, lasts, order, firstKey } = this;
    const key = firstKey.read(item);
    return countWhile(
      lasts.length,
      (i) => (firstKey.compare(lasts[i], key) || order(chunks[i]?.at(-1) as T, item)) < 0,
    );
  }

  /** The place at which to insert an item. The list must not be empty. */
  protected placeFor(item: T): Place {
    const { chunks } = this;
    const chunk = Math.min(this.chunkFor(item), chunks.length - 1);
    const compareAt = this.comparerTo(item, chunk);
    return { chunk, at: countWhile((chunks[chunk] as readonly T[]).length, (at) => compareAt(at) < 0) };
  }

  /** Replaces some chunks by others, which only this list holds, together with their keys. */
  protected replace(
    chunk: number,
    removed: number,
    added: readonly (readonly T[])[],
    keys: unknown[][] | undefined = this.keys && added.map((each) => each.map(this.firstKey.read)),
  ): void {
    this.starts = undefined;
    this.chunks.splice(chunk, removed, ...added);
    this.owned.splice(chunk, removed, ...added.map(() => true));
    this.lasts.splice(chunk, removed, ...(keys ?? added).map((each) => each.at(-1)));
    if (keys) this.keys?.splice(chunk, removed, ...keys);
  }

  /** Notes that an item was inserted, or deleted. */
  protected touch(item: T, isDeleted: boolean): void {
    const touch = this.touched?.get(item);
    if (touch) touch.is = !isDeleted;
    else this.touched?.set(item, { was: isDeleted, is: !isDeleted });
  }

  /** Returns a chunk for changing; copies it first if others hold it. */
  private writableChunk(chunk: number): T[] {
    const { chunks, owned } = this;
    this.starts = undefined;
    if (!owned[chunk]) {
      chunks[chunk] = [...(chunks[chunk] as readonly T[])];
      owned[chunk] = true;
    }
    return chunks[chunk] as T[];
  }
}
