import type { BaseModel } from '../model/base-model.js';
import type { EventEmitter } from '../util/event-emitter.js';
import { PlacedSnapshot, type WindowParts } from './rows-snapshot.js';
import type { WindowEvents } from './window-config.js';

/** Makes the snapshots of a window, and collects all changes of a tick into one `change` event. */
export class WindowFeed<M extends BaseModel> {
  /** Rises with every change. */
  private version = 0;
  private current: PlacedSnapshot<M> | undefined;
  /** The snapshot that the last `change` event led to. */
  private told: PlacedSnapshot<M>;
  /** The range of places that changed since the last event. */
  private changed: readonly [from: number, to: number] = NONE;

  constructor(
    private readonly events: EventEmitter<WindowEvents>,
    /** Returns the present data of the window. */
    private readonly parts: () => Omit<WindowParts<M>, 'version'>,
  ) {
    this.told = this.now;
  }

  /** The present snapshot; the same object until the window changes. */
  get now(): PlacedSnapshot<M> {
    const { version } = this;
    if (this.current?.version !== version) this.current = new PlacedSnapshot<M>({ version, ...this.parts() });
    return this.current;
  }

  /** Marks the window as changed: a range of places or, without arguments, only the number of records. */
  markChanged(from: number = NONE[0], to: number = NONE[1]): void {
    this.version += 1;
    this.changed = [Math.min(this.changed[0], from), Math.max(this.changed[1], to)];
  }

  /** Emits the `change` event, if anything changed. */
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
