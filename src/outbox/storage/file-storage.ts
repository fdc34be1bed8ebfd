import { OutboxError } from '../outbox-error.js';
import { headerLine } from './file-lines.js';
import { FileLock } from './file-lock.js';
import { readLines } from './file-reader.js';
import { type LogStep, LogTables } from './log-tables.js';
import { type NodeFile, type NodePlatform, nodePlatform, OWNER_ONLY } from './node-files.js';
import { Occupancy, type OpenStorages } from './occupancy.js';
import type {
  ItemProgress,
  Leaving,
  LogQuery,
  LogView,
  OutboxStorage,
  Outcome,
  ProblemListener,
  PruneQuery,
  RemovalOptions,
  StoredItem,
} from './outbox-storage.js';
import { codeOf, storageError } from './storage-error.js';

/** The number of lines from which a file is compacted, if most of them are obsolete. */
const COMPACT_AT = 256;

/** A step that waits to be written. */
interface PendingStep {
  /** Makes the step when its turn has come, because keys and places are given in the order of the steps. */
  make(): LogStep;
  readonly unchanged: readonly ItemProgress[];
  resolve(step: LogStep): void;
  reject(error: unknown): void;
}

/** A step that was made, and is about to be written. */
interface MadeStep extends PendingStep {
  readonly step: LogStep;
}

/**
 * Keeps changes in a file to which a line is appended for each step. The file is compacted when most lines are obsolete. Steps that are
 * made at the same time share one `fsync`.
 */
class FileStorage implements OutboxStorage {
  readonly shared: boolean = false;
  private readonly tables: LogTables = new LogTables();
  private pending: PendingStep[] = [];
  private reads: (() => void)[] = [];
  private writing: Promise<void> | undefined = undefined;
  private readonly occupancy: Occupancy = new Occupancy();
  private readonly outboxes: OpenStorages = new Map();
  private platform: NodePlatform | undefined = undefined;
  private lock: FileLock | undefined = undefined;
  private file: NodeFile | undefined = undefined;
  /** The bytes of the file up to the end of its last complete line. */
  private size = 0;
  /** The number of lines in the file. */
  private lines = 0;
  private compactAt = COMPACT_AT;
  /** Whether the file ends with a partial line of a failed write that could not be cut off. */
  private hasPartialLine = false;

  constructor(private readonly path: string) {}

  async open(problem: ProblemListener, leaving?: Leaving): Promise<void> {
    const { path } = this;
    const platform = nodePlatform();
    this.platform = platform;
    const { process, host } = platform;
    const refusal = () => new OutboxError('outbox-locked', { path, pid: process.pid, host });
    await this.occupancy.take(this.outboxes, path, refusal, leaving);
    const lock = new FileLock(platform, `${path}.lock`, crypto.randomUUID());
    this.lock = lock;
    try {
      await lock.acquire();
      await this.load(problem);
      // Each opening makes a new file: a process that has lost its lock without noticing then appends to a file that nobody reads.
      await this.rewrite();
      this.compactAt = Math.max(COMPACT_AT, 4 * this.lines);
    } catch (error) {
      await this.close();
      throw storageError(`open '${path}'`, error);
    }
  }

  async append(items: readonly StoredItem[]): Promise<readonly number[]> {
    const { items: added = [] } = await this.write(() => ({
      items: items.map(({ scope, record, data }) => ({
        ...{ key: this.tables.nextKey(), scope, record, data },
        progress: undefined,
      })),
    }));
    return added.map(({ key }) => key);
  }

  read(query: LogQuery): Promise<LogView> {
    return new Promise((resolve, reject) => {
      const read = () => (this.file ? resolve(this.tables.read(query)) : reject(new OutboxError('outbox-closed')));
      // Steps that are being written are not stored yet.
      if (this.writing) this.reads.push(read);
      else read();
    });
  }

  async update(progress: readonly ItemProgress[], unchanged: readonly ItemProgress[] = []): Promise<void> {
    await this.write(() => ({ progress }), unchanged);
  }

  async remove(outcome: Outcome, { identity, progress, unchanged = [] }: RemovalOptions = {}): Promise<void> {
    await this.write(() => {
      return { progress, outcome: { ...outcome, place: this.tables.nextPlace() }, identity };
    }, unchanged);
  }

  async prune(query: PruneQuery): Promise<void> {
    await this.write(() => ({ prune: query }));
  }

  watch(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    await this.writing;
    const { file, lock } = this;
    this.file = undefined;
    this.lock = undefined;
    await file?.close();
    await lock?.release();
    this.occupancy.leave();
  }

  /** Writes a step after those that were made before. Resolves with it when it is on the disk. */
  private write(make: () => LogStep, unchanged: readonly ItemProgress[] = []): Promise<LogStep> {
    return new Promise((resolve, reject) => {
      this.pending.push({ make, unchanged, resolve, reject });
      this.writing ??= this.writePending();
    });
  }

  /** Writes the waiting steps; steps that arrive during a write are written together after it. */
  private async writePending(): Promise<void> {
    // Steps of the same moment are written together.
    await undefined;
    while (this.pending.length > 0) {
      const batch = this.nextBatch();
      try {
        if (batch.length > 0) await this.appendLines(batch.map(({ step }) => `${JSON.stringify(step)}\n`));
        for (const { step } of batch) this.tables.apply(step);
        for (const { step, resolve } of batch) resolve(step);
      } catch (error) {
        for (const { reject } of batch) reject(storageError(`write to '${this.path}'`, error));
      }
      if (this.file && this.lines >= this.compactAt) await this.compact();
      for (const read of this.reads.splice(0)) read();
    }
    this.writing = undefined;
  }

  /**
   * Takes the steps that can be written together. A step with a condition on an item that an earlier step of the batch changes waits for
   * the next batch, because that earlier step may still fail.
   */
  private nextBatch(): MadeStep[] {
    const batch: MadeStep[] = [];
    const changed = new Set<number>();
    while (this.pending[0] && !this.pending[0].unchanged.some(({ key }) => changed.has(key))) {
      const next = this.pending.shift() as PendingStep;
      try {
        this.tables.check(next.unchanged);
        const step = next.make();
        for (const { key } of step.progress ?? []) changed.add(key);
        for (const key of step.outcome?.keys ?? []) changed.add(key);
        batch.push({ ...next, step });
      } catch (error) {
        next.reject(error);
      }
    }
    return batch;
  }

  private async appendLines(lines: readonly string[]): Promise<void> {
    // A partial line would make the line appended after it unreadable.
    if (this.file && this.hasPartialLine) await this.rewrite();
    const { file, lock } = this;
    if (!file || !lock) throw new OutboxError('outbox-closed');
    const bytes = new TextEncoder().encode(lines.join(''));
    await lock.check();
    try {
      await file.appendFile(bytes);
      await file.datasync();
    } catch (error) {
      await file.truncate(this.size).catch(() => {
        this.hasPartialLine = true;
      });
      throw error;
    }
    this.size += bytes.length;
    this.lines += lines.length;
    // A process that took the lock over meanwhile may have read the file before these lines were in it.
    await lock.check();
  }

  private async load(problem: ProblemListener): Promise<void> {
    const { path, tables } = this;
    const { files } = this.platform as NodePlatform;
    const bytes = await files.readFile(path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    // Another process may have changed the file since it was last open here.
    tables.clear();
    const { brokenLines, partialBytes } = readLines(path, bytes ?? new Uint8Array(), tables);
    if (brokenLines.length > 0) {
      const copy = `${path}.damaged-${crypto.randomUUID()}`;
      await files.writeFile(copy, bytes as Uint8Array, { flag: 'wx', flush: true, mode: OWNER_ONLY });
      const [line] = brokenLines;
      problem(new OutboxError('outbox-damaged', { path, copy, count: brokenLines.length, line: line as number }));
    }
    if (partialBytes > 0) problem(new OutboxError('outbox-truncated', { path, bytes: partialBytes }));
  }

  private async compact(): Promise<void> {
    try {
      await this.rewrite();
      this.compactAt = Math.max(COMPACT_AT, 4 * this.lines);
    } catch {
      // The old file is still valid, so compaction is tried again only when the file has twice as many lines.
      this.compactAt = this.lines * 2;
    }
  }

  /** Writes the contents into a new file, which replaces the old file. */
  private async rewrite(): Promise<void> {
    const { path, tables, lock } = this;
    const { files, folderOf } = this.platform as NodePlatform;
    const lines = [headerLine(tables.last), ...tables.steps().map((step) => JSON.stringify(step))];
    const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`);
    // A file that a crash has left here would keep its mode.
    await files.unlink(`${path}.new`).catch(() => undefined);
    await files.writeFile(`${path}.new`, bytes, { flag: 'wx', flush: true, mode: OWNER_ONLY });
    // The new file is opened before it replaces the old one, so that a failure to open it leaves the old file in use.
    const newFile = await files.open(`${path}.new`, 'a', OWNER_ONLY);
    try {
      await lock?.check();
      await files.rename(`${path}.new`, path);
    } catch (error) {
      await newFile.close();
      throw error;
    }
    const oldFile = this.file;
    this.file = newFile;
    this.hasPartialLine = false;
    this.size = bytes.length;
    this.lines = lines.length;
    await oldFile?.close().catch(() => undefined);
    // The renaming itself has to survive a crash, which requires a sync of the folder; some systems do not support that.
    const folder = await files.open(folderOf(path), 'r').catch(() => undefined);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
  }
}

/**
 * A storage in a file, for Node. Every write is on the disk (`fsync`) before it is sent. Only one process may use the file at a time;
 * a lock file beside it keeps others out. The lock of a process that was killed is taken over. All files that it makes have the mode 600:
 * only their owner can read them. The folder must exist; make it with the mode 700.
 *
 * @example
 * ```ts
 * import { fileStorage } from 'repose/outbox';
 *
 * const kept = new Outbox({ scope: 'machine-3', storage: fileStorage('/var/lib/app/outbox.jsonl'), models: [User] });
 * await kept.ready; // writes that an earlier process left are sent now
 * ```
 */
export function fileStorage(path: string): OutboxStorage {
  return new FileStorage(path);
}
