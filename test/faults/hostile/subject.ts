import type { FailedWrite, Outbox } from '../../../src/outbox.js';
import type { edited, KindName } from './kinds.js';

/** A record of any model. */
export interface HostileRecord {
  readonly phantom: boolean;
  readonly dirty: boolean;
  readonly erased: boolean;
  readonly $: {
    readonly key: string;
    readonly modified: Readonly<Record<string, unknown>>;
    readonly previousValues: Readonly<Record<string, unknown>>;
    readonly unconfirmed: boolean;
    readonly saving: boolean;
    readonly errors: Readonly<Record<string, unknown>>;
    readonly error: (Error & { code?: string }) | undefined;
  };
  getId(): unknown;
  get(name: string): unknown;
  set(path: string, value: unknown): void;
  save(options?: { repeat?: boolean }): Promise<unknown>;
  erase(): Promise<unknown>;
  reject(): void;
  load(): Promise<unknown>;
}

/** A record with the user's edits. */
export interface Subject {
  readonly kind: KindName;
  /** Identifies the record, even without an id. */
  readonly ref: string;
  record: HostileRecord;
  /** Values that were set last, by path. */
  readonly last: Map<string, unknown>;
  /** The values that it has shown before, by path. */
  readonly earlier: Map<string, Set<unknown>>;
  /** Whether its erase was asked for. */
  erase: boolean;
  /** Whether its erase found no row. */
  gone: boolean;
  /** Whether it has a finding already: no more are reported. */
  reported: boolean;
}

/** The write of a record that its outbox does not send by itself. */
export function failedWriteOf(outbox: Outbox, { $: { key } }: HostileRecord): FailedWrite | undefined {
  return outbox.failed.find((write) => write.key === key);
}

/** A value that nobody else sets, for an edited path. */
export function valueFor(path: (typeof edited)[number] | 'success', ref: string, step: number): unknown {
  if (path === 'rank') return step;
  if (path === 'big') return 2n ** 60n + BigInt(step);
  if (path === 'price') return `${step}.12345678901234567891`;
  if (path === 'success') return step % 2 === 0;
  return `${path} of ${ref} at ${step}`;
}

/** Whether a value is possible for a field that no response has contained yet. */
export function isUnknown(value: unknown): boolean {
  return value === undefined || value === '' || value === 0 || value === 0n || value === false || value === '0';
}

/** A value as JSON text. */
export function jsonOf(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** The value that a record has at an edited path. */
export function valueAt(record: HostileRecord, path: string): unknown {
  return memberAt((name) => record.get(name), path);
}

/** The value that an edited path had before its edit; undefined where there is none. */
export function baseAt({ $: { previousValues } }: HostileRecord, path: string): unknown {
  return memberAt((name) => previousValues[name], path);
}

function memberAt(read: (name: string) => unknown, path: string): unknown {
  const [name = '', member] = path.split('.');
  const value = read(name);
  return member === undefined ? value : (value as Record<string, unknown> | null | undefined)?.[member];
}

export function isSaved({ record }: Subject): boolean {
  return !record.phantom;
}

export function isPending({ record }: Subject): boolean {
  return record.phantom || record.dirty;
}

/** Whether nothing is pending. */
export function isSettled({ record, erase, gone }: Subject): boolean {
  if (erase || record.erased) return record.erased || gone;
  return !record.phantom && !record.dirty && !record.$.saving;
}
