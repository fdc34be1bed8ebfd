import type { RecordId } from '../operation/actions.js';
import type { Data } from '../util/data-path.js';

/** A change of one row of a collection. */
export interface RowChange {
  readonly path: string;
  readonly id: RecordId;
  /** The row before; undefined: it is new. */
  readonly before: Readonly<Data> | undefined;
  /** The row since then; undefined: it was removed. */
  readonly after: Readonly<Data> | undefined;
}
/** A change with its number among all changes of a server. */
type Entry = RowChange & { readonly number: number };
/** Whether a row belongs to what a client listens to. */
type Belongs = (row: Readonly<Data>) => boolean;
type Push = (entry: Entry) => void;

/** The latest changes of all rows of a server, and the streams of Server-Sent Events that tell them. */
export class ChangeLog {
  private entries: Entry[] = [];
  private last = 0;
  private readonly streams: Set<{ readonly push: Push; readonly end: (error?: Error) => void }> = new Set();

  /** @param most Number of changes that are kept for clients that come back. */
  constructor(private readonly most: number) {}

  /** Forgets the changes so far, such as the first rows of the collections. */
  clear(): void {
    this.entries = [];
    this.last = 0;
  }

  add(change: RowChange): void {
    this.last += 1;
    const entry = { ...change, number: this.last };
    this.entries.push(entry);
    if (this.entries.length > this.most) this.entries.shift();
    for (const { push } of [...this.streams]) push(entry);
  }

  /**
   * A stream of the changes of a collection, from now on, or behind the number of the header `Last-Event-ID`. If changes behind it are not kept
   * any more, it begins with the event `reset`.
   */
  open({ path, belongs, lastEventId, signal }: OpenStream): Response {
    const encoder = new TextEncoder();
    let end = (_?: Error): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        const stream = {
          push: (entry: Entry) => {
            const text = entry.path === path ? eventOf(entry, belongs) : undefined;
            if (text !== undefined) send(text);
          },
          end: (error?: Error) => {
            if (!this.streams.delete(stream)) return;
            if (error) controller.error(error);
            else controller.close();
          },
        };
        end = stream.end;
        this.streams.add(stream);
        send(`: ${this.last}\n\n`);
        this.resume(lastEventId, stream.push, send);
      },
      cancel: () => end(),
    });
    signal.addEventListener('abort', () => end(signal.reason as Error), { once: true });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
  }

  /** Ends all streams, as a lost connection does. */
  endStreams(): void {
    for (const stream of [...this.streams]) stream.end(new TypeError('terminated'));
  }

  private resume(lastEventId: string | null, push: Push, send: (text: string) => void): void {
    if (lastEventId === null) return;
    const from = Number(lastEventId);
    const oldest = this.entries[0]?.number ?? this.last + 1;
    if (Number.isSafeInteger(from) && from >= oldest - 1 && from <= this.last)
      this.entries.filter(({ number }) => number > from).forEach(push);
    else send(`id: ${this.last}\nevent: reset\ndata: {}\n\n`);
  }
}

/** The request that opens a stream. */
interface OpenStream {
  readonly path: string;
  readonly belongs: Belongs;
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
}

/** The event of a change; undefined: it is about no row of the client. */
function eventOf({ number, id, before, after }: Entry, belongs: Belongs): string | undefined {
  const isThere = after !== undefined && belongs(after);
  if (!isThere && !(before !== undefined && belongs(before))) return undefined;
  return `id: ${number}\ndata: ${JSON.stringify(isThere ? { row: after } : { removed: id })}\n\n`;
}
