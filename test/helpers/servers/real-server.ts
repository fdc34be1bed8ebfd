import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A third-party server in a process of its own, with a data folder of its own. */
export interface RealServer {
  /** Its origin, `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Ends the process and all it started, and removes the data folder. May be called again. */
  stop(): Promise<void>;
  /** The last part of what the server wrote to its standard output and error. */
  log(): string;
}

export interface Launch {
  /** Name of the server in messages. */
  name: string;
  /** Path that is asked until any HTTP status comes back. */
  probe: string;
  /** Fills the empty data folder and says what to run in it. */
  prepare(
    folder: string,
  ): Promise<{ command: string; args: readonly string[]; env?: Readonly<Record<string, string>> }>;
  /** Milliseconds until the start counts as failed. @default 60000 */
  deadline?: number;
}

/** How long a `beforeAll` that starts servers may take: the first start installs packages, which may have to be compiled. */
export const START_TIMEOUT = 600_000;

const LOG_LIMIT = 65_536;

/**
 * Starts a server over a fresh temporary folder.
 *
 * The command binds 127.0.0.1 on port 0 and prints `listening on PORT`, so that no two starts can
 * be given the same port. It also ends when its standard input does: a test run that is killed
 * leaves nothing behind.
 */
export async function launch({ name, probe, prepare, deadline = 60_000 }: Launch): Promise<RealServer> {
  const folder = await mkdtemp(join(tmpdir(), 'repose-server-'));
  let child: ChildProcess | undefined;
  let log = '';
  const stop = async () => {
    if (child) await kill(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const { command, args, env } = await prepare(folder);
    child = spawn(command, args, {
      cwd: folder,
      detached: process.platform !== 'win32', // a process group of its own, ended as a whole
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', ...env },
    });
    const write = (chunk: unknown) => {
      log = (log + String(chunk)).slice(-LOG_LIMIT);
    };
    child.stdout?.on('data', write);
    child.stderr?.on('data', write);
    child.stdin?.on('error', () => {}); // EPIPE of a server that ended: reported by its exit
    child.on('error', (error) => write(`${error.message}\n`));
    const url = await answering(child, probe, deadline, () => log);
    return { url, stop, log: () => log };
  } catch (error) {
    await stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${name} did not start: ${reason}${log && `\nIt wrote:\n${log}`}`, { cause: error });
  }
}

async function answering(child: ChildProcess, probe: string, deadline: number, log: () => string): Promise<string> {
  const end = performance.now() + deadline;
  while (performance.now() < end) {
    if (ended(child)) throw new Error(`the process ended with ${child.exitCode ?? child.signalCode ?? 'an error'}`);
    const port = /^listening on (\d+)$/m.exec(log())?.[1];
    if (port && (await answers(`http://127.0.0.1:${port}${probe}`))) return `http://127.0.0.1:${port}`;
    await sleep(50);
  }
  throw new Error(`no HTTP status came back within ${deadline / 1000} s`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** Whether a process has ended or was never started. */
function ended(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

async function kill(child: ChildProcess): Promise<void> {
  if (ended(child)) return;
  const over = new Promise((resolve) => child.once('exit', resolve));
  // The data is discarded, so an orderly shutdown would save nothing.
  if (process.platform === 'win32') child.kill('SIGKILL');
  else process.kill(-(child.pid as number), 'SIGKILL');
  await over;
}
