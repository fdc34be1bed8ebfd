import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '../..');

/** Bundled programs, which start much faster than their sources. */
export interface Programs {
  readonly client: string;
  readonly server: string;
  readonly hostile: string;
}

/** Bundles the programs, once for all seeds. */
export async function bundle(folder: string): Promise<Programs> {
  const require = createRequire(import.meta.url);
  await build({
    entryPoints: {
      client: path.join(import.meta.dirname, 'client.ts'),
      server: path.join(root, 'demo/server/main.ts'),
      hostile: path.join(import.meta.dirname, 'hostile/main.ts'),
    },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    tsconfig: path.join(root, 'tsconfig.json'),
    logLevel: 'warning',
    plugins: [
      {
        // libsql finds its binary by the location of its own file.
        name: 'libsql',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^libsql$/ }, () => ({
            path: pathToFileURL(require.resolve('libsql')).href,
            external: true,
          })),
      },
    ],
  });
  const fileOf = (name: keyof Programs) => path.join(folder, `${name}.mjs`);
  return { client: fileOf('client'), server: fileOf('server'), hostile: fileOf('hostile') };
}

/** The demo server in a process of its own. */
export class ServerProcess {
  private child: ChildProcess | undefined = undefined;
  private port = 0;
  private starting: Promise<void> | undefined = undefined;

  constructor(
    private readonly program: string,
    private readonly file: string,
    private readonly rows: number,
  ) {}

  /** The address at which it listens; the same after a restart. */
  get address(): { readonly host: string; readonly port: number } {
    return { host: '127.0.0.1', port: this.port };
  }

  start(): Promise<void> {
    return (this.starting ??= this.run());
  }

  private async run(): Promise<void> {
    const args = ['--port', `${this.port}`, '--file', this.file, '--rows', `${this.rows}`];
    const child = spawn(process.execPath, ['--enable-source-maps', this.program, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.child = child;
    const lines = createInterface({ input: child.stdout });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The server ended with ${code}`);
    });
    const [url] = (await Promise.race([once(lines, 'line'), ended])) as [string];
    ended.catch(() => undefined);
    this.port = Number(new URL(url).port);
  }

  /** Kills it, as a crash would, and starts it again. */
  async crash(): Promise<void> {
    await this.starting;
    await this.end('SIGKILL');
    await this.start();
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    this.starting = undefined;
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}

/** Starts a client. Its output goes to a file, because a pipe could keep it alive. */
export function startClient(program: string, options: object, output: string): ChildProcess {
  const file = openSync(output, 'a');
  try {
    const stdio = ['ignore', file, file, 'ipc'] as const;
    return fork(program, [JSON.stringify(options)], { execArgv: ['--enable-source-maps'], stdio: [...stdio] });
  } finally {
    closeSync(file);
  }
}
