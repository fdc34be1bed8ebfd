import type { BaseModel } from '../model/base-model.js';
import type { EventEmitter } from '../util/event-emitter.js';
import { type RowsParts, RowsSnapshot } from './rows-snapshot.js';
import type { WindowEvents } from './window-config.js';

/** Makes the snapshots of a window, and tells of all that happens in a tick in one `change`. */
export class WindowFeed<M extends BaseModel> {
  /** Counts changes. */
  private version = 0;
  private current: RowsSnapshot<M> | undefined;
  /** What listeners know. */
  private told: RowsSnapshot<M>;
  /** Places that are different since. */
  private changed: readonly [from: number, to: number] = NONE;

  constructor(
    private readonly events: EventEmitter<WindowEvents>,
    /** What the window holds now. */
    private readonly parts: () => Omit<RowsParts<M>, 'version'>,
  ) {
    this.told = this.now;
  }

  /** The same one until something is different. */
  get now(): RowsSnapshot<M> {
    const { version } = this;
    if (this.current?.version !== version) this.current = new RowsSnapshot<M>({ version, ...this.parts() });
    return this.current;
  }

  /** Something is different: the places from one up to another, or only how many there are. */
  markChanged(from: number = NONE[0], to: number = NONE[1]): void {
    this.version += 1;
    this.changed = [Math.min(this.changed[0], from), Math.max(this.changed[1], to)];
  }

  /** Tells what has changed. */
  flush(): void {
    const { told, now } = this;
    let [from, to] = this.changed;
    this.changed = NONE;
    this.told = now;
    if (now === told) return;
    const moved = now.firstMoved(told);
    if (moved !== undefined) [from, to] = [Math.min(from, moved), Number.POSITIVE_INFINITY];
    const [least, most] = [Math.min(told.count, now.count), Math.max(told.count, now.count)];
    if (least < most) [from, to] = [Math.min(from, least), Number.POSITIVE_INFINITY];
    const end = Math.min(to === 0 ? 0 : now.indexOf(to), most);
    const start = Math.min(now.indexOf(from), end);
    if (start < end || told.total !== now.total)
      this.events.emit('change', { version: now.version, from: start, to: end });
  }
}

const NONE: readonly [number, number] = [Number.POSITIVE_INFINITY, 0];
