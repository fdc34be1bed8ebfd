import { OutboxError } from './outbox-error.js';

/** What of an open file of Node is used here. */
export interface NodeFile {
  appendFile(bytes: Uint8Array): Promise<void>;
  truncate(size: number): Promise<void>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What of Node's files is used here. */
export interface NodeFiles {
  open(path: string, flags: string): Promise<NodeFile>;
  readFile(path: string): Promise<Uint8Array>;
  writeFile(path: string, data: string | Uint8Array, options: { flag: string; flush: boolean }): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

/** What of Node's process is used here. */
export interface NodeProcess {
  readonly pid: number;
  kill(pid: number, signal: 0): boolean;
  getBuiltinModule(name: string): unknown;
}

/** Node, where this is Node: asked for at run time, so that bundles for browsers hold nothing of it. */
export interface NodePlatform {
  readonly files: NodeFiles;
  readonly process: NodeProcess;
  readonly host: string;
  /** The folder of a file. */
  folderOf(path: string): string;
}

/** Rejects where there is no Node. */
export function nodePlatform(): NodePlatform {
  const { process } = globalThis as { process?: NodeProcess };
  if (typeof process?.getBuiltinModule !== 'function')
    throw new OutboxError('outbox-storage', { what: 'open a file', why: 'this is no Node' });
  const { hostname } = process.getBuiltinModule('node:os') as { hostname(): string };
  const { dirname } = process.getBuiltinModule('node:path') as { dirname(path: string): string };
  const files = process.getBuiltinModule('node:fs/promises') as NodeFiles;
  return { files, process, host: hostname(), folderOf: (path) => dirname(path) };
}

/** The code of an error of the platform, such as `ENOSPC`. */
export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}

/** An error of ours for one of the platform. */
export function storageError(what: string, cause: unknown): OutboxError {
  if (cause instanceof OutboxError) return cause;
  const full = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(cause)) || (cause as Error).name === 'QuotaExceededError';
  return new OutboxError(full ? 'outbox-quota' : 'outbox-storage', { what, why: (cause as Error).message }, { cause });
}
