import type { RowChange } from '../data/scope.js';
import type { Table } from '../data/table.js';
import { tables } from '../data/tables.js';
import type { FeedFault } from './situations.js';

/** A change of one row, or of more rows than are told one by one: of a table, or of all tables. */
type Entry = { readonly number: number } & (RowChange | { readonly table: Table | undefined; readonly all: true });

/** The request that opens a stream. */
interface OpenStream {
  /** The name of the user. */
  readonly client: string;
  readonly tables: readonly Table[];
  /** Whether each event names the model of its row. */
  readonly named: boolean;
  readonly lastEventId: string | null;
  readonly fault: () => FeedFault | null;
}

interface Stream {
  readonly client: string;
  push(entry: Entry): void;
  end(): void;
}

// Milliseconds between the comments by which a client sees that the connection is open.
const HEARTBEAT = 15_000;

// Most changes in a millisecond of a run: its numbers never reach those of the next run.
const PER_MILLISECOND = 1000;

/** The latest changes of all tables, and the streams of Server-Sent Events that tell them. */
export class ChangeLog {
  private readonly entries: Entry[] = [];
  private last: number;
  private readonly streams: Set<Stream> = new Set();

  /**
   * @param most Number of changes that are kept for clients that come back.
   * @param startedAt The time at which the server was started, in milliseconds. Numbers begin there, so that a client that saw changes of an
   * earlier run, whose tables may have been others, is told to read everything again.
   */
  constructor(
    private readonly most: number,
    startedAt: number,
  ) {
    this.last = startedAt * PER_MILLISECOND;
  }

  add(changes: readonly RowChange[]): void {
    for (const change of changes) {
      this.append({ ...change, number: this.last + 1 });
      // Orders show the name of their customer and category, which may be in any number of orders.
      const isRenamed = change.before && change.after && change.before['name'] !== change.after['name'];
      if (isRenamed) for (const name of change.table.shownIn ?? []) this.addReset(tables[name]);
    }
  }

  /** Tells clients to read a table again, or all of them. */
  addReset(table?: Table): void {
    this.append({ table, all: true, number: this.last + 1 });
  }

  /** A stream of the changes from now on, or behind the number of `Last-Event-ID`. If these are not kept any more, it begins with `reset`. */
  open({ client, tables: wanted, named, lastEventId, fault }: OpenStream): Response {
    const encoder = new TextEncoder();
    let stream: Stream | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        // The changes of a request go in one piece: each piece costs more than its text.
        let piece = '';
        const flush = () => {
          if (piece !== '' && this.streams.has(opened)) controller.enqueue(encoder.encode(piece));
          piece = '';
        };
        const send = (text: string) => {
          if (piece === '') queueMicrotask(flush);
          piece += text;
        };
        const beat = setInterval(() => send(': \n\n'), HEARTBEAT);
        const deliver = faulty(send, fault);
        const opened: Stream = {
          client,
          push: (entry) => {
            if (!entry.table || wanted.includes(entry.table)) deliver(eventOf(entry, named));
          },
          end: () => {
            clearInterval(beat);
            flush();
            if (!this.streams.delete(opened)) return;
            try {
              controller.close();
            } catch {
              // The client has closed the connection already.
            }
          },
        };
        stream = opened;
        this.streams.add(opened);
        // Without an id, a client that has not seen a change yet could not say where it was.
        send(lastEventId === null ? `id: ${this.last}\ndata: []\n\n` : `: ${this.last}\n\n`);
        this.resume(lastEventId, opened, send);
      },
      cancel: () => stream?.end(),
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
  }

  /** Ends the streams of a client, or all of them. */
  endStreams(client?: string): void {
    for (const stream of [...this.streams]) if (client === undefined || stream.client === client) stream.end();
  }

  private append(entry: Entry): void {
    this.last = entry.number;
    this.entries.push(entry);
    if (this.entries.length > this.most) this.entries.shift();
    for (const stream of [...this.streams]) stream.push(entry);
  }

  private resume(lastEventId: string | null, stream: Stream, send: (text: string) => void): void {
    if (lastEventId === null) return;
    const from = lastEventId === '' ? Number.NaN : Number(lastEventId);
    const oldest = this.entries[0]?.number ?? this.last + 1;
    const isKept = Number.isSafeInteger(from) && from >= oldest - 1 && from <= this.last;
    if (!isKept) send(resetEvent(this.last));
    else for (const entry of this.entries) if (entry.number > from) stream.push(entry);
  }
}

function resetEvent(number: number): string {
  return `id: ${number}\nevent: reset\ndata: {}\n\n`;
}

function eventOf(entry: Entry, named: boolean): string {
  if ('all' in entry) return resetEvent(entry.number);
  const { number, table, id, after } = entry;
  const model = named ? { model: table.singular } : {};
  return `id: ${number}\ndata: ${JSON.stringify(after ? { ...model, row: after } : { ...model, removed: id })}\n\n`;
}

/** Sends events, with the fault of the moment. */
function faulty(send: (text: string) => void, fault: () => FeedFault | null): (text: string) => void {
  let held: string | undefined;
  let count = 0;
  return (text) => {
    const kind = fault();
    count += 1;
    if (kind === 'silent' || (kind === 'skip' && count % 2 === 0)) return;
    if (kind === 'reorder' && held === undefined) {
      held = text;
      return;
    }
    send(text);
    if (kind === 'repeat') send(text);
    if (held !== undefined) send(held);
    held = undefined;
  };
}
