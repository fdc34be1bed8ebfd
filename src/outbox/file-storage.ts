import { OutboxError } from './outbox-error.js';
import type { OutboxStorage, ProblemListener, StorageChange, StoredItem } from './outbox-storage.js';
import { FileLock } from './storage/file-lock.js';
import {
  codeOf,
  type NodeFile,
  type NodePlatform,
  nodePlatform,
  OWNER_ONLY,
  storageError,
} from './storage/node-files.js';

/** The version of the file format. */
const VERSION = 1;
const HEADER = 'repose-outbox';
/** The number of lines from which a file is compacted, if most of them are obsolete. */
const COMPACT_AT = 256;

/** A change that waits to be written. */
interface PendingChange {
  readonly changes: readonly StorageChange[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Keeps writes in a file to which a line is appended for each change. The file is compacted when most lines are obsolete. Changes that
 * are made at the same time share one `fsync`.
 */
class FileStorage implements OutboxStorage {
  readonly shared: boolean = false;
  private readonly items: Map<string, StoredItem> = new Map();
  private pending: PendingChange[] = [];
  private writing: Promise<void> | undefined = undefined;
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

  async open(problem: ProblemListener): Promise<void> {
    const { path } = this;
    this.platform = nodePlatform();
    // Another outbox of this process has the file open.
    if (this.lock) {
      const { process, host } = this.platform;
      throw new OutboxError('outbox-locked', { path, pid: process.pid, host });
    }
    const lock = new FileLock(this.platform, `${path}.lock`, crypto.randomUUID());
    try {
      await lock.acquire();
      this.lock = lock;
      const canAppend = await this.read(problem);
      if (canAppend) {
        this.file = await this.platform.files.open(path, 'a', OWNER_ONLY);
        // An earlier version of the package, or the application, may have made the file. Some file systems have no modes.
        await this.file.chmod(OWNER_ONLY).catch(() => undefined);
      } else await this.rewrite();
    } catch (error) {
      await this.close();
      throw storageError(`open '${path}'`, error);
    }
  }

  all(): Promise<readonly StoredItem[]> {
    return Promise.resolve([...this.items.values()]);
  }

  get(key: string): Promise<StoredItem | undefined> {
    return Promise.resolve(this.items.get(key));
  }

  change(changes: readonly StorageChange[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pending.push({ changes, resolve, reject });
      this.writing ??= this.writePending();
    });
  }

  async close(): Promise<void> {
    await this.writing;
    const { file, lock } = this;
    this.file = undefined;
    this.lock = undefined;
    await file?.close();
    await lock?.release();
  }

  /** Writes the waiting changes; changes that arrive during a write are written together after it. */
  private async writePending(): Promise<void> {
    while (this.pending.length > 0) {
      const batch = this.pending;
      this.pending = [];
      try {
        await this.append(batch.map(({ changes }) => `${JSON.stringify(changes)}\n`).join(''), batch.length);
        for (const { changes } of batch) this.apply(changes);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(storageError(`write to '${this.path}'`, error));
      }
      if (this.lines >= this.compactAt && this.lines > 4 * this.items.size) await this.compact();
    }
    this.writing = undefined;
  }

  private async append(text: string, lines: number): Promise<void> {
    // A partial line would make the line appended after it unreadable.
    if (this.file && this.hasPartialLine) await this.rewrite();
    const { file } = this;
    if (!file) throw new OutboxError('outbox-closed');
    const bytes = new TextEncoder().encode(text);
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
    this.lines += lines;
  }

  private apply(changes: readonly StorageChange[]): void {
    for (const change of changes) {
      if ('put' in change) this.items.set(change.put.key, change.put);
      else this.items.delete(change.delete);
    }
  }

  /** Reads the file. Returns whether lines can be appended to it; otherwise it has to be rewritten. */
  private async read(problem: ProblemListener): Promise<boolean> {
    const { path, platform } = this;
    const bytes = await (platform as NodePlatform).files.readFile(path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    // Another process may have changed the file since it was last open here.
    this.items.clear();
    const lines = linesOf(bytes ?? new Uint8Array());
    const tail = lines.pop() as string;
    const [header] = lines;
    if (header === undefined) {
      // An empty file, or a partial header, is left by a crash while the outbox was created.
      if (!`{"${HEADER}":${VERSION}}`.startsWith(tail)) throw new OutboxError('outbox-format', { path });
      return false;
    }
    this.checkHeader(header);
    const broken: number[] = [];
    for (const [i, line] of lines.entries()) {
      const changes = i > 0 && line !== '' ? parseLine(line) : [];
      if (changes) this.apply(changes);
      else broken.push(i + 1);
    }
    // A crash may have cut the last line off; if only its line break is missing, the line still counts.
    const last = tail === '' ? [] : parseLine(tail);
    if (last) this.apply(last);
    if (broken.length > 0) {
      const copy = `${path}.damaged-${crypto.randomUUID()}`;
      await (platform as NodePlatform).files.writeFile(copy, bytes as Uint8Array, {
        flag: 'wx',
        flush: true,
        mode: OWNER_ONLY,
      });
      problem(new OutboxError('outbox-damaged', { path, copy, count: broken.length, line: broken[0] as number }));
    }
    const { length } = bytes as Uint8Array;
    const partialBytes = length - 1 - (bytes as Uint8Array).lastIndexOf(10);
    if (!last) problem(new OutboxError('outbox-truncated', { path, bytes: partialBytes }));
    this.size = length;
    this.lines = lines.length;
    return tail === '' && broken.length === 0;
  }

  private checkHeader(line: string): void {
    const { path } = this;
    let version: unknown;
    try {
      version = (JSON.parse(line) as Record<string, unknown>)[HEADER];
    } catch {
      // A line that is not JSON has no version, and is refused below.
    }
    if (version === undefined) throw new OutboxError('outbox-format', { path });
    if (version !== VERSION) throw new OutboxError('outbox-version', { what: `'${path}'`, version, known: VERSION });
  }

  private async compact(): Promise<void> {
    try {
      await this.rewrite();
      this.compactAt = COMPACT_AT;
    } catch {
      // The old file is still valid, so compaction is tried again only when the file has twice as many lines.
      this.compactAt = this.lines * 2;
    }
  }

  /** Writes the current items into a new file, which replaces the old file. */
  private async rewrite(): Promise<void> {
    const { path, items } = this;
    const { files, folderOf } = this.platform as NodePlatform;
    const lines = [`{"${HEADER}":${VERSION}}`, ...[...items.values()].map((put) => JSON.stringify([{ put }]))];
    const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`);
    // A file that a crash has left here would keep its mode.
    await files.unlink(`${path}.new`).catch(() => undefined);
    await files.writeFile(`${path}.new`, bytes, { flag: 'wx', flush: true, mode: OWNER_ONLY });
    // The new file is opened before it replaces the old one, so that a failure to open it leaves the old file in use.
    const newFile = await files.open(`${path}.new`, 'a', OWNER_ONLY);
    try {
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
 * The lines of a file. A line that is not valid UTF-8 is made unreadable, because decoding would replace characters and the outbox
 * would send values that nobody saved.
 */
function linesOf(bytes: Uint8Array): string[] {
  const strict = new TextDecoder('utf-8', { fatal: true });
  const lines: string[] = [];
  for (let from = 0; from <= bytes.length; ) {
    const at = bytes.indexOf(10, from);
    const line = bytes.subarray(from, at < 0 ? bytes.length : at);
    try {
      lines.push(strict.decode(line));
    } catch {
      lines.push(`\0${new TextDecoder().decode(line)}`);
    }
    if (at < 0) break;
    from = at + 1;
  }
  return lines;
}

/** The changes of a line; undefined: the line is damaged. */
function parseLine(line: string): readonly StorageChange[] | undefined {
  try {
    const changes = JSON.parse(line) as unknown;
    return Array.isArray(changes) && changes.every(isChange) ? changes : undefined;
  } catch {
    return undefined;
  }
}

function isChange(change: unknown): change is StorageChange {
  const { put, delete: gone } = (change ?? {}) as { put?: StoredItem; delete?: unknown };
  const texts = put ? [put.key, put.scope, put.data] : [gone];
  return texts.every((each) => typeof each === 'string');
}

/**
 * A storage in a file, for Node. Every write is on the disk (`fsync`) before it is sent. Only one process may use the file at a time;
 * a lock file beside it keeps others out. The lock of a process that was killed is taken over. All files that it makes have the mode 600:
 * only their owner can read them. The folder must exist; make it with the mode 700.
 */
export function fileStorage(path: string): OutboxStorage {
  return new FileStorage(path);
}
