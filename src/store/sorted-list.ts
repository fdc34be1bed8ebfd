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

/** So many searches for each chunk: then their keys are kept. */
const OFTEN = 8;

/**
 * Items in an order without ties, in chunks: finding, inserting and deleting cost a binary search and the move of a part of one
 * chunk. Positions are never stored. What `freeze()` hands out stays as it is: a chunk is copied before it is next changed.
 */
export class SortedList<T> {
  /** Number of items. */
  count: number;
  private chunks: (readonly T[])[];
  private starts: readonly number[] | undefined = undefined;
  /** What the order looks at first of the last item of each chunk: a search needs not fetch the chunks that it passes. */
  private readonly keys: unknown[];
  /** The same of all items of a chunk, where so much is looked for that it pays: to read one, its item and row are fetched. */
  private readonly known: (unknown[] | undefined)[];
  private searches = 0;
  private frozen = false;
  /** Which chunks nobody else has. */
  private readonly own: boolean[];

  /** The items must be in order already; chunks that somebody else has are to be frozen. */
  constructor(
    chunks: readonly (readonly T[])[],
    // Typed as a method is, whose parameters vary both ways.
    private readonly order: { order(a: T, b: T): number }['order'],
    private readonly first: FirstKey<T> = { read: (item) => item, compare: order as FirstKey<T>['compare'] },
  ) {
    this.own = chunks.map(() => true);
    this.chunks = chunks as (readonly T[])[];
    this.count = countOf(chunks);
    this.known = chunks.map(() => undefined);
    this.keys = chunks.map((chunk) => first.read(chunk.at(-1) as T));
  }

  /** The chunks as they are now, for good. */
  freeze(): readonly (readonly T[])[] {
    this.frozen = true;
    this.own.fill(false);
    return this.chunks;
  }

  at(index: number): T | undefined {
    this.starts ??= startsOf(this.chunks);
    return itemAt(this.chunks, this.starts, index);
  }

  /** Where an item stands; undefined where it is not here, or not where the order says. */
  find(item: T): Place | undefined {
    const chunk = this.chunkFor(item);
    // Looked for as itself: its neighbours need not be fetched for a comparison.
    const at = this.chunks[chunk]?.indexOf(item) ?? -1;
    return at < 0 ? undefined : { chunk, at };
  }

  /** Where an item stands, wherever that is. */
  search(item: T): Place | undefined {
    for (const [chunk, items] of this.chunks.entries()) {
      const at = items.indexOf(item);
      if (at >= 0) return { chunk, at };
    }
    return undefined;
  }

  indexOf({ chunk, at }: Place): number {
    this.starts ??= startsOf(this.chunks);
    return (this.starts[chunk] as number) + at;
  }

  insert(item: T): void {
    const { chunk, at } = this.placeFor(item);
    const items = this.change(chunk);
    const behind = at === items.length;
    const key = this.first.read(item);
    items.splice(at, 0, item);
    this.known[chunk]?.splice(at, 0, key);
    if (behind) this.keys[chunk] = key;
    this.count += 1;
    this.starts = undefined;
    if (items.length <= 2 * SIZE) return;
    // What grows at its end leaves full chunks behind.
    const rest = items.splice(behind ? 2 * SIZE : SIZE);
    this.replace(chunk, 1, items, rest);
  }

  /** Puts items behind all others; they must be in order. */
  append(items: readonly T[]): void {
    this.thaw();
    const last = this.chunks.at(-1);
    const open = last && last.length < SIZE ? last : undefined;
    let at = this.chunks.length - (open ? 1 : 0);
    for (const chunk of cutChunks(open ? [...open, ...items] : items)) {
      this.replace(at, 1, chunk);
      at += 1;
    }
    this.count += items.length;
    this.starts = undefined;
  }

  delete({ chunk, at }: Place): void {
    const items = this.change(chunk);
    items.splice(at, 1);
    this.known[chunk]?.splice(at, 1);
    this.count -= 1;
    this.starts = undefined;
    const next = this.chunks[chunk + 1];
    if (next && items.length + next.length < SIZE) {
      items.push(...next);
      this.replace(chunk, 2, items);
    } else if (items.length === 0) this.replace(chunk, 1);
    else if (at === items.length) this.keys[chunk] = this.first.read(items.at(-1) as T);
  }

  /** Whether an item that has changed fits between its neighbours where it stands: then it stays there. */
  fits({ chunk, at }: Place, item: T): boolean {
    const { chunks, order, first } = this;
    const items = chunks[chunk] as readonly T[];
    // Most that move go far: that can be seen without fetching the neighbours.
    if (at < items.length - 1 && this.chunkFor(item) !== chunk) return false;
    const before = at > 0 ? items[at - 1] : chunks[chunk - 1]?.at(-1);
    const after = items[at + 1] ?? chunks[chunk + 1]?.[0];
    if ((before !== undefined && order(before, item) > 0) || (after !== undefined && order(item, after) > 0))
      return false;
    this.known[chunk]?.splice(at, 1, first.read(item));
    if (at === items.length - 1) this.keys[chunk] = first.read(item);
    return true;
  }

  /** The first chunk whose last item is not before an item; one behind the last where all are. */
  private chunkFor(item: T): number {
    const { chunks, keys, order, first } = this;
    const key = first.read(item);
    return countWhile(keys.length, (i) => (first.compare(keys[i], key) || order(chunks[i]?.at(-1) as T, item)) < 0);
  }

  /** So many chunks go, and others that nobody else has take their place. */
  private replace(chunk: number, gone: number, ...come: readonly (readonly T[])[]): void {
    this.chunks.splice(chunk, gone, ...come);
    this.own.splice(chunk, gone, ...come.map(() => true));
    this.keys.splice(chunk, gone, ...come.map((each) => this.first.read(each.at(-1) as T)));
    this.known.splice(chunk, gone, ...come.map(() => undefined));
  }

  /** The first place that is not before an item; behind the last item where all are. */
  private placeFor(item: T): Place {
    const { chunks, known, order, first } = this;
    const chunk = Math.max(Math.min(this.chunkFor(item), chunks.length - 1), 0);
    const items = chunks[chunk] ?? [];
    const key = first.read(item);
    this.searches += 1;
    if (this.searches > OFTEN * chunks.length) known[chunk] ??= items.map(first.read);
    const keys = known[chunk];
    const at = countWhile(items.length, (i) => {
      const other = items[i] as T;
      return (first.compare(keys ? keys[i] : first.read(other), key) || order(other, item)) < 0;
    });
    return { chunk, at };
  }

  /** Makes the list of chunks one that may be changed. */
  private thaw(): void {
    if (!this.frozen) return;
    this.chunks = [...this.chunks];
    this.frozen = false;
  }

  /** A chunk that may be changed. */
  private change(chunk: number): T[] {
    this.thaw();
    const { chunks, own } = this;
    if (!own[chunk]) {
      chunks[chunk] = [...(chunks[chunk] ?? [])];
      own[chunk] = true;
    }
    return chunks[chunk] as T[];
  }
}
