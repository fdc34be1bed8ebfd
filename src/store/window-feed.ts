import type { Model } from '../model/model.js';
import type { Listeners, Notifier } from '../util/notifier.js';
import { ValueSource } from '../util/value-source.js';
import { PlacedSnapshot, type WindowParts } from './placed-snapshot.js';
import type { WindowEvents } from './window-config.js';

/**
 * Makes the snapshots of a window, and collects all changes of a tick: tells the listeners of `list` if other records are shown, and emits
 * one `change` event.
 */
export class WindowFeed<M extends Model> {
  /** The snapshot and the version that the last `change` event led to. */
  private delivered: PlacedSnapshot<M>;
  private deliveredVersion = 0;
  /** The window as a source. Its listeners are told when the changes of the tick are delivered. */
  readonly list: ValueSource<PlacedSnapshot<M>>;
  /** The range of places that changed since the last event. */
  private changed: readonly [from: number, to: number] = NO_PLACES;

  constructor(
    private readonly events: Notifier<Listeners<WindowEvents>>,
    /** Returns the present data of the window. */
    private readonly parts: () => WindowParts<M>,
    /** Called when the list gets its first listener, and when its last one has gone. */
    watched: (isWatched: boolean) => void,
  ) {
    this.list = new ValueSource(
      (previous) => {
        const now = this.parts();
        return previous?.hasParts(now) ? previous : new PlacedSnapshot<M>(now);
      },
      watched,
      'always',
    );
    this.delivered = this.list.get();
  }

  /** Marks the window as changed: a range of places or, without arguments, only the number of records. */
  markChanged(from: number = NO_PLACES[0], to: number = NO_PLACES[1]): void {
    this.list.version += 1;
    this.changed = [Math.min(this.changed[0], from), Math.max(this.changed[1], to)];
  }

  /** Emits the `change` event, if anything changed. */
  flush(): void {
    const { delivered, deliveredVersion, list } = this;
    const { version } = list;
    const snapshot = list.get();
    let [from, to] = this.changed;
    this.changed = NO_PLACES;
    this.delivered = snapshot;
    this.deliveredVersion = version;
    if (version === deliveredVersion) return;
    list.deliver();
    const moved = snapshot.firstMoved(delivered);
    if (moved !== undefined) [from, to] = [Math.min(from, moved), Number.POSITIVE_INFINITY];
    const [least, most] = [Math.min(delivered.count, snapshot.count), Math.max(delivered.count, snapshot.count)];
    if (least < most) [from, to] = [Math.min(from, least), Number.POSITIVE_INFINITY];
    const end = Math.min(to === 0 ? 0 : snapshot.indexOf(to), most);
    const start = Math.min(snapshot.indexOf(from), end);
    if (start < end || delivered.total !== snapshot.total)
      this.events.emit('change', { version, from: start, to: end });
  }
}

const NO_PLACES: readonly [number, number] = [Number.POSITIVE_INFINITY, 0];
