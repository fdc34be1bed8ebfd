import { countOf, countWhile, cutChunks, itemAt, SIZE, startsOf } from './chunks.js';

/** Where an item stands: its chunk, and its place in that. */
export interface Place {
  readonly chunk: number;
  readonly at: number;
}

/** What an order looks at first: what it reads of an item, and how it compares that. */
export interface FirstKey<T> {
  // Typed as methods are, whose parameters vary both ways.
  readonly read: { read(item: T): unknown }['read'];
  readonly compare: (a: unknown, b: unknown) => number;
}

/**
 * Items in an order without ties, in chunks: finding, inserting and deleting cost a binary search and the move of a part of one
 * chunk. Positions are never stored. What `freeze()` hands out stays as it is: a chunk is copied before it is next changed.
 */
export class SortedList<T> {
  /** Number of items. */
  count: number;
  private readonly chunks: (readonly T[])[];
  private starts: readonly number[] | undefined = undefined;
  /** What the order looks at first of the last item of each chunk: a search needs not fetch the chunks that it passes. */
  private readonly lasts: unknown[];
  private readonly first: FirstKey<T>;
  /** Which chunks nobody else has. */
  private readonly own: boolean[];

  /** The items must be in order already. The list of chunks becomes this one's; where somebody else has the chunks, freeze it. */
  constructor(
    chunks: readonly (readonly T[])[],
    // Typed as a method is, whose parameters vary both ways.
    private readonly order: { order(a: T, b: T): number }['order'],
    /** What the order looks at first; where nothing is given, an item itself. */
    first?: FirstKey<T>,
    /** The same of all items, in chunks of the same lengths: a search reads these where an item and its row would have to be fetched. */
    private readonly keys: unknown[][] | undefined = first && chunks.map((chunk) => chunk.map(first.read)),
  ) {
    this.own = chunks.map(() => true);
    this.chunks = chunks as (readonly T[])[];
    this.count = countOf(chunks);
    this.first = first ?? { read: (item) => item, compare: order as FirstKey<T>['compare'] };
    this.lasts = (keys ?? chunks).map((chunk) => chunk.at(-1));
  }

  /** The chunks as they are now, for good. */
  freeze(): readonly (readonly T[])[] {
    this.own.fill(false);
    return [...this.chunks];
  }

  at(index: number): T | undefined {
    this.starts ??= startsOf(this.chunks);
    return itemAt(this.chunks, this.starts, index);
  }

  /** Where an item stands; undefined where it is not here or, unless it is looked for everywhere, not where the order says. */
  find(item: T, everywhere: boolean = false): Place | undefined {
    const { chunks } = this;
    const chunk = everywhere ? chunks.findIndex((items) => items.includes(item)) : this.chunkFor(item);
    // Looked for as itself: its neighbours need not be fetched for a comparison.
    const at = chunks[chunk]?.indexOf(item) ?? -1;
    return at < 0 ? undefined : { chunk, at };
  }

  indexOf({ chunk, at }: Place): number {
    this.starts ??= startsOf(this.chunks);
    return (this.starts[chunk] as number) + at;
  }

  insert(item: T): void {
    this.count += 1;
    if (this.count === 1) return this.replace(0, 0, [[item]]);
    const { chunk, at } = this.placeFor(item);
    const items = this.change(chunk);
    const keys = this.keys?.[chunk];
    const behind = at === items.length;
    const key = this.first.read(item);
    items.splice(at, 0, item);
    keys?.splice(at, 0, key);
    if (behind) this.lasts[chunk] = key;
    if (items.length <= 2 * SIZE) return;
    // What grows at its end leaves full chunks behind.
    const kept = behind ? 2 * SIZE : SIZE;
    this.replace(chunk, 1, [items, items.splice(kept)], keys && [keys, keys.splice(kept)]);
  }

  /** Puts items behind all others; they must be in order. */
  append(items: readonly T[]): void {
    const last = this.chunks.at(-1);
    const open = last && last.length < SIZE ? last : undefined;
    let at = this.chunks.length - (open ? 1 : 0);
    for (const chunk of cutChunks(open ? [...open, ...items] : items)) {
      this.replace(at, 1, [chunk]);
      at += 1;
    }
    this.count += items.length;
  }

  delete({ chunk, at }: Place): void {
    const items = this.change(chunk);
    const keys = this.keys?.[chunk];
    items.splice(at, 1);
    keys?.splice(at, 1);
    this.count -= 1;
    const next = this.chunks[chunk + 1];
    if (next && items.length + next.length < SIZE) this.replace(chunk, 2, [[...items, ...next]]);
    else if (items.length === 0) this.replace(chunk, 1, []);
    else if (at === items.length) this.lasts[chunk] = (keys ?? items).at(-1);
  }

  /**
   * Whether an item that has changed fits between its neighbours where it stands: then it stays there. The first and the last of
   * a chunk are put in anew.
   */
  fits({ chunk, at }: Place, item: T): boolean {
    const stands = this.against(item, chunk);
    const inside = at > 0 && at + 1 < (this.chunks[chunk] as readonly T[]).length;
    if (!inside || stands(at - 1) > 0 || stands(at + 1) < 0) return false;
    this.keys?.[chunk]?.splice(at, 1, this.first.read(item));
    return true;
  }

  /** How what stands at some place of a chunk compares to an item. */
  private against(item: T, chunk: number): (at: number) => number {
    const { chunks, order, first } = this;
    const items = chunks[chunk] as readonly T[];
    const keys = this.keys?.[chunk] ?? items;
    const key = first.read(item);
    return (at) => first.compare(keys[at], key) || order(items[at] as T, item);
  }

  /** The first chunk whose last item is not before an item; one behind the last where all are. */
  private chunkFor(item: T): number {
    const { chunks, lasts, order, first } = this;
    const key = first.read(item);
    return countWhile(lasts.length, (i) => (first.compare(lasts[i], key) || order(chunks[i]?.at(-1) as T, item)) < 0);
  }

  /** The first place that is not before an item; behind the last item where all are. Not of an empty list. */
  private placeFor(item: T): Place {
    const { chunks } = this;
    const chunk = Math.min(this.chunkFor(item), chunks.length - 1);
    const stands = this.against(item, chunk);
    return { chunk, at: countWhile((chunks[chunk] as readonly T[]).length, (at) => stands(at) < 0) };
  }

  /** So many chunks go, and others that nobody else has take their place, with their keys. */
  private replace(
    chunk: number,
    gone: number,
    come: readonly (readonly T[])[],
    keys: unknown[][] | undefined = this.keys && come.map((each) => each.map(this.first.read)),
  ): void {
    this.starts = undefined;
    this.chunks.splice(chunk, gone, ...come);
    this.own.splice(chunk, gone, ...come.map(() => true));
    this.lasts.splice(chunk, gone, ...(keys ?? come).map((each) => each.at(-1)));
    if (keys) this.keys?.splice(chunk, gone, ...keys);
  }

  /** A chunk that may be changed. */
  private change(chunk: number): T[] {
    const { chunks, own } = this;
    this.starts = undefined;
    if (!own[chunk]) {
      chunks[chunk] = [...(chunks[chunk] as readonly T[])];
      own[chunk] = true;
    }
    return chunks[chunk] as T[];
  }
}
