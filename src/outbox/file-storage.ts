import { FileLock } from './file-lock.js';
import { codeOf, type NodeFile, type NodePlatform, nodePlatform, storageError } from './node-files.js';
import { OutboxError } from './outbox-error.js';
import type { OutboxStorage, ProblemListener, StorageChange, StoredItem } from './outbox-storage.js';

/** Version of the file's form. */
const VERSION = 1;
const HEADER = 'repose-outbox';
/** Lines after which a file is written anew, where most of them say nothing any more. */
const COMPACT_AT = 256;

interface Waiting {
  readonly changes: readonly StorageChange[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Keeps writes in a file that only grows, a line for each change, and is written anew when little of it counts. What comes at
 * the same time shares one `fsync`.
 */
class FileStorage implements OutboxStorage {
  readonly shared: boolean = false;
  private readonly items: Map<string, StoredItem> = new Map();
  private waiting: Waiting[] = [];
  private writing: Promise<void> | undefined = undefined;
  private platform: NodePlatform | undefined = undefined;
  private lock: FileLock | undefined = undefined;
  private file: NodeFile | undefined = undefined;
  /** Bytes of the file that count. */
  private size = 0;
  /** Lines of the file. */
  private lines = 0;
  private compactAt = COMPACT_AT;
  /** Whether the file ends with what was refused, and could not be cut off. */
  private torn = false;

  constructor(private readonly path: string) {}

  async open(problem: ProblemListener): Promise<void> {
    const { path } = this;
    this.platform = nodePlatform();
    // Whoever has it open keeps it.
    if (this.lock) {
      const { process, host } = this.platform;
      throw new OutboxError('outbox-locked', { path, pid: process.pid, host });
    }
    const lock = new FileLock(this.platform, `${path}.lock`, crypto.randomUUID());
    try {
      await lock.acquire();
      this.lock = lock;
      const sound = await this.read(problem);
      if (sound) this.file = await this.platform.files.open(path, 'a');
      else await this.rewrite();
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
      this.waiting.push({ changes, resolve, reject });
      this.writing ??= this.write();
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

  /** Writes what waits, all that came meanwhile in one go. */
  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
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
    // A part of a line must not stand before the next one.
    if (this.file && this.torn) await this.rewrite();
    const { file } = this;
    if (!file) throw new OutboxError('outbox-closed');
    const bytes = new TextEncoder().encode(text);
    try {
      await file.appendFile(bytes);
      await file.datasync();
    } catch (error) {
      await file.truncate(this.size).catch(() => {
        this.torn = true;
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

  /** Reads the file. Returns whether lines can be added to it as it is. */
  private async read(problem: ProblemListener): Promise<boolean> {
    const { path, platform } = this;
    const bytes = await (platform as NodePlatform).files.readFile(path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    // Another process may have had the file since it was open here.
    this.items.clear();
    const lines = linesOf(bytes ?? new Uint8Array());
    const tail = lines.pop() as string;
    const [header] = lines;
    if (header === undefined) {
      // Nothing, or the beginning of what would have become an outbox.
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
    // The last line of a crash; whole where only the end of the line is missing.
    const last = tail === '' ? [] : parseLine(tail);
    if (last) this.apply(last);
    if (broken.length > 0) {
      const copy = `${path}.damaged-${crypto.randomUUID()}`;
      await (platform as NodePlatform).files.writeFile(copy, bytes as Uint8Array, { flag: 'wx', flush: true });
      problem(new OutboxError('outbox-damaged', { path, copy, count: broken.length, line: broken[0] }));
    }
    const { length } = bytes as Uint8Array;
    const cut = length - 1 - (bytes as Uint8Array).lastIndexOf(10);
    if (!last) problem(new OutboxError('outbox-truncated', { path, bytes: cut }));
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
      // No header at all.
    }
    if (version === undefined) throw new OutboxError('outbox-format', { path });
    if (version !== VERSION) throw new OutboxError('outbox-version', { what: `'${path}'`, version, known: VERSION });
  }

  private async compact(): Promise<void> {
    try {
      await this.rewrite();
      this.compactAt = COMPACT_AT;
    } catch {
      // The file as it is will do; it is tried again when there is twice as much to gain.
      this.compactAt = this.lines * 2;
    }
  }

  /** Writes what counts into a new file that takes the place of the old one. */
  private async rewrite(): Promise<void> {
    const { path, items } = this;
    const { files, folderOf } = this.platform as NodePlatform;
    const lines = [`{"${HEADER}":${VERSION}}`, ...[...items.values()].map((put) => JSON.stringify([{ put }]))];
    const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`);
    await files.writeFile(`${path}.new`, bytes, { flag: 'w', flush: true });
    // Opened before it takes the other's place: nothing must be added to a file that has no name any more.
    const fresh = await files.open(`${path}.new`, 'a');
    try {
      await files.rename(`${path}.new`, path);
    } catch (error) {
      await fresh.close();
      throw error;
    }
    const before = this.file;
    this.file = fresh;
    this.torn = false;
    this.size = bytes.length;
    this.lines = lines.length;
    await before?.close().catch(() => undefined);
    // The name, too, is to survive; not every system can be asked for that.
    const folder = await files.open(folderOf(path), 'r').catch(() => undefined);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
  }
}

/** The lines of a file. In one that is no UTF-8 all is made unreadable: with letters replaced it would be sent as it never was. */
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

/** The changes of a line; undefined where it is none of ours. */
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
 * A storage in a file, for Node: every write is on the disk before it is sent (`fsync`). One process at a time; a lock file
 * beside it tells others, and that of a process which was killed is taken over.
 */
export function fileStorage(path: string): OutboxStorage {
  return new FileStorage(path);
}
