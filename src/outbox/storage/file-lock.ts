import { isPlainObject } from '../../util/values.js';
import { OutboxError } from '../outbox-error.js';
import { type NodePlatform, OWNER_ONLY } from './node-files.js';
import { codeOf, storageError } from './storage-error.js';

/** The process that holds a lock file. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** The start time of the process, because another process may have its number by now. Empty if the system does not provide it. */
  readonly started: string;
  readonly token: string;
}

/**
 * A lock file: it names the process that may write to another file. The lock of a process that no longer runs, for example after
 * SIGKILL, is taken over.
 */
export class FileLock {
  private readonly token: string;
  private isHeld = false;

  constructor(
    private readonly platform: NodePlatform,
    private readonly path: string,
    token: string,
  ) {
    this.token = token;
  }

  /** Takes the lock. Rejects with `OutboxError` (`outbox-locked`) if a running process holds it. */
  async acquire(): Promise<void> {
    const { path, platform, token } = this;
    const { pid } = platform.process;
    const ownLock: Holder = { pid, host: platform.host, started: (await this.startOf(pid)) ?? '', token };
    // The lock is written to a file of its own and then linked, so that other processes never read a half-written lock.
    const draft = `${path}.${token}`;
    await platform.files.writeFile(draft, JSON.stringify(ownLock), { flag: 'wx', flush: true, mode: OWNER_ONLY });
    try {
      for (let tries = 0; !(await this.link(draft, path)); tries += 1) {
        const holder = await this.holder(path);
        // A lock that keeps changing hands, or a path that can neither be linked nor read, must not make this loop endless.
        if (tries > (holder ? 3 : 100) || (holder && (await this.isAlive(holder)))) {
          throw this.lockedBy(holder);
        }
        if (holder) await this.breakLock(draft, path, holder);
      }
      this.isHeld = true;
    } finally {
      await platform.files.unlink(draft);
    }
  }

  /** Rejects with `OutboxError` (`outbox-locked`) if another process has taken the lock over, or somebody has removed its file. */
  async check(): Promise<void> {
    const holder = await this.holder(this.path);
    if (holder?.token !== this.token) throw this.lockedBy(holder);
  }

  private lockedBy(holder: Holder | undefined): OutboxError {
    const { pid = '?', host = this.platform.host } = holder ?? {};
    return new OutboxError('outbox-locked', { pid, host, path: this.path.replace(/\.lock$/, '') });
  }

  /** Releases the lock. */
  async release(): Promise<void> {
    if (!this.isHeld) return;
    this.isHeld = false;
    // A lock file that cannot be read is left in place: the next process finds that its holder no longer runs.
    const holder = await this.holder(this.path).catch(() => undefined);
    if (holder?.token === this.token) await this.platform.files.unlink(this.path);
  }

  /**
   * Removes the lock of a process that no longer runs. A second lock file lets only one process do so at a time, after another look at
   * the first. If the holder of the second lock no longer runs either, that lock is removed in the same way.
   */
  private async breakLock(draft: string, path: string, dead: Holder): Promise<void> {
    const breaker = `${path}.break`;
    if (!(await this.link(draft, breaker))) {
      const other = await this.holder(breaker);
      if (other && !(await this.isAlive(other))) await this.breakLock(draft, breaker, other);
      return;
    }
    try {
      const current = await this.holder(path);
      if (current?.token === dead.token) await this.removeDead(path, dead);
    } finally {
      await this.platform.files.unlink(breaker);
    }
  }

  /** Removes the lock file of a process that no longer runs. If another process has replaced it in the meantime, the file is restored. */
  private async removeDead(path: string, dead: Holder): Promise<void> {
    const { files } = this.platform;
    const removed = `${path}.${this.token}.gone`;
    await files.rename(path, removed);
    const moved = await this.holder(removed);
    if (moved?.token !== dead.token) await this.link(removed, path);
    await files.unlink(removed);
  }

  private async link(from: string, to: string): Promise<boolean> {
    try {
      await this.platform.files.link(from, to);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  private async holder(path: string): Promise<Holder | undefined> {
    try {
      const lock: unknown = JSON.parse(new TextDecoder().decode(await this.platform.files.readFile(path)));
      if (isPlainObject(lock)) return { pid: 0, host: '', started: '', token: '', ...lock };
    } catch (error) {
      // The holder may have released the lock since the failed attempt to take it.
      if (codeOf(error) === 'ENOENT') return undefined;
      if (!(error instanceof SyntaxError)) throw storageError(`read '${path}'`, error);
    }
    // A file that is not a valid lock counts as held by a process that no longer runs.
    return { pid: 0, host: this.platform.host, started: '', token: '' };
  }

  /** Whether a process is running. A process on another machine cannot be checked, and counts as running. */
  private async isAlive({ pid, host, started }: Holder): Promise<boolean> {
    const { platform } = this;
    if (host !== platform.host) return true;
    if (!(pid > 0)) return false;
    try {
      platform.process.kill(pid, 0);
    } catch (error) {
      if (codeOf(error) === 'ESRCH') return false;
    }
    const currentStart = await this.startOf(pid);
    return currentStart === undefined || (currentStart !== '' && (started === '' || currentStart === started));
  }

  /** The start time of a process; '' if it is a zombie, which has ended; undefined if the system does not provide it. */
  private async startOf(pid: number): Promise<string | undefined> {
    try {
      const stat = new TextDecoder().decode(await this.platform.files.readFile(`/proc/${pid}/stat`));
      // The process name in parentheses may contain spaces and parentheses, so fields are counted after the last parenthesis.
      const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' || state === 'X' ? '' : (rest[18] ?? '');
    } catch {
      return undefined;
    }
  }
}
