import { chunkOf, countOf, countWhile, cutChunks, SIZE, startsOf } from './chunks.js';

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
  private chunks: (readonly T[])[];
  private starts: readonly number[] | undefined = undefined;
  /** The last item of each chunk: a search needs not fetch the chunks that it passes. */
  private readonly lasts: T[];
  /** What the order looks at first of each of them, for it is read again and again. */
  private readonly keys: unknown[];
  private frozen = false;
  /** Chunks that nobody else has. */
  private own: Set<readonly T[]>;

  /** The items must be in order already; chunks that somebody else has are to be frozen. */
  constructor(
    chunks: readonly (readonly T[])[],
    // Typed as a method is, whose parameters vary both ways.
    private readonly order: { order(a: T, b: T): number }['order'],
    private readonly first?: FirstKey<T> | undefined,
  ) {
    this.own = new Set(chunks);
    this.chunks = chunks as (readonly T[])[];
    this.count = countOf(chunks);
    this.lasts = chunks.map((chunk) => chunk.at(-1) as T);
    this.keys = first ? this.lasts.map((item) => first.read(item)) : [];
  }

  /** The chunks as they are now, for good. */
  freeze(): readonly (readonly T[])[] {
    if (!this.frozen) {
      this.frozen = true;
      this.own = new Set();
    }
    return this.chunks;
  }

  at(index: number): T | undefined {
    if (!(index >= 0 && index < this.count)) return undefined;
    const starts = (this.starts ??= startsOf(this.chunks));
    const chunk = chunkOf(starts, index);
    return this.chunks[chunk]?.[index - (starts[chunk] as number)];
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
    const starts = (this.starts ??= startsOf(this.chunks));
    return (starts[chunk] as number) + at;
  }

  insert(item: T): void {
    const place = this.placeFor(item);
    const behind = place.chunk === this.chunks.length;
    const chunk = behind && place.chunk > 0 ? place.chunk - 1 : place.chunk;
    const items = this.change(chunk);
    items.splice(behind ? items.length : place.at, 0, item);
    this.count += 1;
    this.starts = undefined;
    if (behind) this.spliceLasts(chunk, 1, item);
    if (items.length <= 2 * SIZE) return;
    // What grows at its end leaves full chunks behind.
    const rest = items.splice(behind ? 2 * SIZE : SIZE);
    this.own.add(rest);
    this.chunks.splice(chunk + 1, 0, rest);
    this.spliceLasts(chunk, 1, items.at(-1) as T, rest.at(-1) as T);
  }

  /** Puts items behind all others; they must be in order. */
  append(items: readonly T[]): void {
    const last = this.chunks.length - 1;
    const room = last < 0 ? 0 : Math.max(SIZE - (this.chunks[last] as readonly T[]).length, 0);
    if (room > 0) {
      const filled = this.change(last);
      filled.push(...items.slice(0, room));
      this.spliceLasts(last, 1, filled.at(-1) as T);
    }
    this.thaw();
    for (const chunk of cutChunks(room > 0 ? items.slice(room) : items)) {
      this.own.add(chunk);
      this.chunks.push(chunk);
      this.spliceLasts(this.lasts.length, 0, chunk.at(-1) as T);
    }
    this.count += items.length;
    this.starts = undefined;
  }

  delete({ chunk, at }: Place): void {
    const items = this.change(chunk);
    items.splice(at, 1);
    this.count -= 1;
    this.starts = undefined;
    const next = this.chunks[chunk + 1];
    if (next && items.length + next.length < SIZE) {
      items.push(...next);
      this.chunks.splice(chunk + 1, 1);
      this.spliceLasts(chunk + 1, 1);
    }
    const last = items.at(-1);
    if (last !== undefined) {
      if (last !== this.lasts[chunk]) this.spliceLasts(chunk, 1, last);
    } else {
      this.chunks.splice(chunk, 1);
      this.spliceLasts(chunk, 1);
    }
  }

  /** Whether an item that has changed fits between its neighbours where it stands: then it stays there. */
  fits({ chunk, at }: Place, item: T): boolean {
    const { chunks, order, first } = this;
    const items = chunks[chunk] as readonly T[];
    const before = at > 0 ? items[at - 1] : chunks[chunk - 1]?.at(-1);
    const after = at < items.length - 1 ? items[at + 1] : chunks[chunk + 1]?.[0];
    if ((before !== undefined && order(before, item) > 0) || (after !== undefined && order(item, after) > 0))
      return false;
    if (first && at === items.length - 1) this.keys[chunk] = first.read(item);
    return true;
  }

  /** The first chunk whose last item is not before an item; one behind the last where all are. */
  private chunkFor(item: T): number {
    const { lasts, keys, order, first } = this;
    const key = first?.read(item);
    return countWhile(lasts.length, (i) => (first?.compare(keys[i], key) || order(lasts[i] as T, item)) < 0);
  }

  private spliceLasts(chunk: number, gone: number, ...items: readonly T[]): void {
    const { lasts, keys, first } = this;
    lasts.splice(chunk, gone, ...items);
    if (first) keys.splice(chunk, gone, ...items.map((item) => first.read(item)));
  }

  /** The first place that is not before an item; one behind the last chunk where all are. */
  private placeFor(item: T): Place {
    const { chunks, order, first } = this;
    const chunk = this.chunkFor(item);
    const items = chunks[chunk] ?? [];
    const key = first?.read(item);
    const at = countWhile(items.length, (i) => {
      const other = items[i] as T;
      return (first?.compare(first.read(other), key) || order(other, item)) < 0;
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
    let items = this.chunks[chunk];
    if (!items || !this.own.has(items)) {
      items = items ? [...items] : [];
      this.chunks[chunk] = items;
      this.own.add(items);
    }
    return items as T[];
  }
}
