import { appendFileSync, closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

/** An action of a client, done or intended. */
export type Verb = 'create' | 'update' | 'destroy';

/** Values by column. */
export type Values = Readonly<Record<string, unknown>>;

/** An entry of a client's journal. A row is named by its marker (`tasks/@1.tasksA.5`), or by its id if the campaign did not create it (`tasks/#7`). */
export type Entry =
  /** A step begins. */
  | { readonly t: 'step'; readonly n: number }
  /** The intended write of a row, before the call. */
  | {
      readonly t: 'want';
      readonly op: Verb;
      readonly row: string;
      readonly store: string;
      readonly values: Values;
      /** The row to which the new one refers. */
      readonly parent?: string | undefined;
    }
  /** A write that the server has, according to the library. */
  | { readonly t: 'acked'; readonly op: Verb; readonly row: string; readonly store: string; readonly values: Values }
  /** A write that is durable on the client, according to the library. */
  | { readonly t: 'stored'; readonly op: Verb; readonly row: string; readonly store: string; readonly values: Values }
  /** A write that the application dropped on purpose. */
  | {
      readonly t: 'dropped';
      /** Whether the row must not be created at all. */
      readonly create: boolean;
      readonly row: string;
      readonly store: string;
      readonly values: Values;
      readonly why: string;
    }
  /** An event that must not happen. */
  | { readonly t: 'odd'; readonly what: string }
  /** The end of a client that was not killed. */
  | {
      readonly t: 'end';
      readonly made: number;
      readonly settled: number;
      readonly resources: readonly string[];
      readonly counts: Readonly<Record<string, number>>;
    };

/** An append-only file of one client. Entries survive a SIGKILL, because the operating system has them. */
export class Journal {
  constructor(readonly file: string) {}

  write(entry: Entry): void {
    appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
  }

  /** All entries; the last line may have been cut off by a kill. */
  read(): Entry[] {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, 'utf8').split('\n');
    lines.pop();
    return lines.map((line) => JSON.parse(line) as Entry);
  }

  /** The last step that was begun, 0 for none. */
  lastStep(): number {
    if (!existsSync(this.file)) return 0;
    const { size } = statSync(this.file);
    const file = openSync(this.file, 'r');
    try {
      for (let length = 1 << 14; ; length *= 4) {
        const from = Math.max(0, size - length);
        const bytes = Buffer.alloc(size - from);
        readSync(file, bytes, 0, bytes.length, from);
        const [, step] = [...bytes.toString('latin1').matchAll(/\{"t":"step","n":(\d+)\}\n/g)].at(-1) ?? [];
        if (step !== undefined || from === 0) return Number(step ?? 0);
      }
    } finally {
      closeSync(file);
    }
  }
}
