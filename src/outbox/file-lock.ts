import { isPlainObject } from '../util/values.js';
import { codeOf, type NodePlatform, storageError } from './node-files.js';
import { OutboxError } from './outbox-error.js';

/** Who holds a lock file. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process was started, as the system says: another may have its number by now. Empty where it does not say. */
  readonly started: string;
  readonly token: string;
}

/**
 * A file that says which process may write to another file. That of a process which is gone (after SIGKILL too) is taken over.
 */
export class FileLock {
  private readonly token: string;
  private held = false;

  constructor(
    private readonly platform: NodePlatform,
    private readonly path: string,
    token: string,
  ) {
    this.token = token;
  }

  /** Takes the lock. Rejects with `OutboxError` (`outbox-locked`) where a process that lives holds it. */
  async acquire(): Promise<void> {
    const { path, platform, token } = this;
    const { pid } = platform.process;
    const own: Holder = { pid, host: platform.host, started: (await this.startOf(pid)) ?? '', token };
    // Written aside and linked: whoever finds a lock finds it whole.
    const aside = `${path}.${token}`;
    await platform.files.writeFile(aside, JSON.stringify(own), { flag: 'wx', flush: true });
    try {
      for (let tries = 0; !(await this.link(aside, path)); tries += 1) {
        const holder = await this.holder(path);
        // One that comes and goes is taken by others again and again; what only looks like a file is never gone.
        if (tries > (holder ? 3 : 100) || (holder && (await this.isAlive(holder)))) {
          const { pid = '?', host = platform.host } = holder ?? {};
          throw new OutboxError('outbox-locked', { pid, host, path: path.replace(/\.lock$/, '') });
        }
        if (holder) await this.breakLock(aside, path, holder);
      }
      this.held = true;
    } finally {
      await platform.files.unlink(aside);
    }
  }

  /** Gives the lock back. */
  async release(): Promise<void> {
    if (!this.held) return;
    this.held = false;
    // What cannot be read any more is left: the next one finds that its process is gone.
    const holder = await this.holder(this.path).catch(() => undefined);
    if (holder?.token === this.token) await this.platform.files.unlink(this.path);
  }

  /**
   * Removes the lock of a process that is gone; one process at a time does so, and looks again before. What says which one is a
   * lock itself, and is removed like that where its process is gone as well.
   */
  private async breakLock(aside: string, path: string, dead: Holder): Promise<void> {
    const breaker = `${path}.break`;
    if (!(await this.link(aside, breaker))) {
      const other = await this.holder(breaker);
      if (other && !(await this.isAlive(other))) await this.breakLock(aside, breaker, other);
      return;
    }
    try {
      const now = await this.holder(path);
      if (now?.token === dead.token) await this.remove(path, dead);
    } finally {
      await this.platform.files.unlink(breaker);
    }
  }

  /** Removes the file of a process that is gone. What another has put there meanwhile, it has again. */
  private async remove(path: string, dead: Holder): Promise<void> {
    const { files } = this.platform;
    const away = `${path}.${this.token}.gone`;
    await files.rename(path, away);
    const taken = await this.holder(away);
    if (taken?.token !== dead.token) await this.link(away, path);
    await files.unlink(away);
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
      // Gone meanwhile.
      if (codeOf(error) === 'ENOENT') return undefined;
      if (!(error instanceof SyntaxError)) throw storageError(`read '${path}'`, error);
    }
    // What is no lock of ours belongs to nobody that lives.
    return { pid: 0, host: this.platform.host, started: '', token: '' };
  }

  /** Whether a process lives, as far as can be told: of another machine nothing can. */
  private async isAlive({ pid, host, started }: Holder): Promise<boolean> {
    const { platform } = this;
    if (host !== platform.host) return true;
    if (!(pid > 0)) return false;
    try {
      platform.process.kill(pid, 0);
    } catch (error) {
      if (codeOf(error) === 'ESRCH') return false;
    }
    const now = await this.startOf(pid);
    return now === undefined || (now !== '' && (started === '' || now === started));
  }

  /** When a process was started; '' where it has ended and nobody has taken note; undefined where the system does not tell. */
  private async startOf(pid: number): Promise<string | undefined> {
    try {
      const stat = new TextDecoder().decode(await this.platform.files.readFile(`/proc/${pid}/stat`));
      // The name in parentheses may hold anything.
      const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' || state === 'X' ? '' : (rest[18] ?? '');
    } catch {
      return undefined;
    }
  }
}
