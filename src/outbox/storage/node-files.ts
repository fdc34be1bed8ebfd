import { OutboxError } from '../outbox-error.js';

/** The methods of an open file of Node that are used here. */
export interface NodeFile {
  appendFile(bytes: Uint8Array): Promise<void>;
  truncate(size: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The mode of each file that an outbox makes: it holds what users wrote, so only its owner may read it. */
export const OWNER_ONLY = 0o600;

interface WriteOptions {
  readonly flag: string;
  readonly flush: boolean;
  readonly mode: number;
}

/** The functions of `node:fs/promises` that are used here. */
export interface NodeFiles {
  open(path: string, flags: string, mode?: number): Promise<NodeFile>;
  readFile(path: string): Promise<Uint8Array>;
  writeFile(path: string, data: string | Uint8Array, options: WriteOptions): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

/** The members of Node's `process` that are used here. */
export interface NodeProcess {
  readonly pid: number;
  kill(pid: number, signal: 0): boolean;
  getBuiltinModule(name: string): unknown;
}

/** The modules of Node. They are requested at run time, so that bundles for browsers contain nothing of them. */
export interface NodePlatform {
  readonly files: NodeFiles;
  readonly process: NodeProcess;
  readonly host: string;
  /** The folder of a file. */
  folderOf(path: string): string;
}

/** Returns the modules of Node. Throws `OutboxError` on other platforms. */
export function nodePlatform(): NodePlatform {
  const { process } = globalThis as { process?: NodeProcess };
  if (typeof process?.getBuiltinModule !== 'function')
    throw new OutboxError('outbox-storage', {
      what: 'open a file',
      why: 'this is not Node; in browsers, use `indexedDbStorage()`',
    });
  const { hostname } = process.getBuiltinModule('node:os') as { hostname(): string };
  const { dirname } = process.getBuiltinModule('node:path') as { dirname(path: string): string };
  const files = process.getBuiltinModule('node:fs/promises') as NodeFiles;
  return { files, process, host: hostname(), folderOf: (path) => dirname(path) };
}
