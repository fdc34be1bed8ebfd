import type { BaseModel } from '../model/base-model.js';
import type { StoreEvents } from './store-config.js';

/** Collects what happens in a tick into one `change`: the difference between what was shown and what is. */
export class ChangeFeed<M extends BaseModel> {
  /** Counts changes of what is shown. */
  version: number = 0;
  private told: readonly M[] = [];
  private readonly touched: Set<M> = new Set();
  private scheduled = false;

  constructor(
    private readonly view: () => readonly M[],
    private readonly deliver: (change: StoreEvents<M>['change']) => void,
  ) {}

  /** Notes that something changed; `record` where its values did. */
  touch(record?: M): void {
    this.version += 1;
    if (record) this.touched.add(record);
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => this.flush());
  }

  /** Delivers now. */
  flush(): void {
    if (!this.scheduled) return;
    this.scheduled = false;
    const view = this.view();
    const before = this.told;
    const touched = new Set(this.touched);
    this.told = view;
    this.touched.clear();
    const [was, is] = [new Set(before), new Set(view)];
    const added = view.filter((record) => !was.has(record));
    const removed = before.filter((record) => !is.has(record));
    const moved = movedRecords(
      before.filter((record) => is.has(record)),
      view.filter((record) => was.has(record)),
    );
    const updated = view.filter((record) => touched.has(record) && was.has(record));
    if (added.length + removed.length + moved.length + updated.length === 0) return;
    this.deliver({ version: this.version, added, removed, moved, updated });
  }
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
  for (let at = ends[ends.length - 1] ?? -1; at >= 0; at = previous[at] as number) stay.add(at);
  return now.filter((_, i) => !stay.has(i));
}
