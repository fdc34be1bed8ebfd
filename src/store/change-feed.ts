import type { BaseModel } from '../model/base-model.js';
import type { EventEmitter } from '../util/event-emitter.js';
import type { StoreEvents } from './store-config.js';

/** Collects what happens in a tick into one `change`: the difference between what was shown and what is. */
export class ChangeFeed<M extends BaseModel> {
  /** Counts changes of what is shown. */
  version: number = 0;
  private told: readonly M[] = [];
  private known: ReadonlySet<M> = new Set();
  private touched: Set<M> = new Set();
  private scheduled = false;
  private delivering = false;

  constructor(
    private readonly view: () => readonly M[],
    private readonly events: EventEmitter<StoreEvents<M>>,
  ) {}

  /** Whoever begins to listen knows what is shown now. */
  start(): void {
    if (this.events.has('change')) return;
    this.told = this.view();
    this.known = new Set(this.told);
  }

  /** Notes that something changed; `record` where its values did. */
  touch(record?: M): void {
    this.version += 1;
    if (record) this.touched.add(record);
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => this.flush());
  }

  /** Delivers now. What listeners change comes in an event of its own, so that all hear all events in one order. */
  flush(): void {
    if (!this.scheduled || this.delivering) return;
    this.scheduled = false;
    const { touched, told: before, known: was } = this;
    this.touched = new Set();
    if (!this.events.has('change')) return;
    const now = this.view();
    const is = now === before ? was : new Set(now);
    this.told = now;
    this.known = is;
    const [added, removed, moved] = now === before ? [[], [], []] : difference(before, now, was, is);
    const updated = [...touched].filter((record) => was.has(record) && is.has(record));
    if (!added.length && !removed.length && !moved.length && !updated.length) return;
    this.delivering = true;
    this.events.emit('change', { version: this.version, added, removed, moved, updated });
    this.delivering = false;
  }
}

type Difference<M> = readonly [added: readonly M[], removed: readonly M[], moved: readonly M[]];

function difference<M>(
  before: readonly M[],
  now: readonly M[],
  was: ReadonlySet<M>,
  is: ReadonlySet<M>,
): Difference<M> {
  return [
    now.filter((record) => !was.has(record)),
    before.filter((record) => !is.has(record)),
    movedRecords(
      before.filter((record) => is.has(record)),
      now.filter((record) => was.has(record)),
    ),
  ];
}

/** The fewest records that must move to bring one order into the other: all but a longest rising run of old places. */
function movedRecords<M>(before: readonly M[], now: readonly M[]): M[] {
  if (before.every((record, i) => record === now[i])) return [];
  const places = new Map(before.map((record, i) => [record, i]));
  const order = now.map((record) => places.get(record) as number);
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [i, place] of order.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((order[ends[middle] as number] as number) < place) low = middle + 1;
      else high = middle;
    }
    previous[i] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = i;
  }
  const stay = new Set<number>();
  for (let at = ends.at(-1) as number; at >= 0; at = previous[at] as number) stay.add(at);
  return now.filter((_, i) => !stay.has(i));
}
