import type { LoggedItem } from './outbox-storage.js';

/** A stored write of format 1, which folded all changes of a record. */
interface WholeWrite {
  /** The key of the record. */
  readonly key: string;
  readonly scope: string;
  readonly data: string;
}

/** A change in a file of format 1. */
type WholeChange = { readonly put: WholeWrite } | { readonly delete: string };

/** Whether a value is a stored write of format 1. */
export function isWholeWrite(value: unknown): value is WholeWrite {
  const { key, scope, data } = (value ?? {}) as Partial<WholeWrite>;
  return [key, scope, data].every((each) => typeof each === 'string');
}

/** The changes in a line of a file of format 1; undefined: the line is damaged. */
export function parseWholeChanges(line: string): readonly WholeChange[] | undefined {
  try {
    const changes = JSON.parse(line) as unknown;
    return Array.isArray(changes) && changes.every(isChange) ? changes : undefined;
  } catch {
    return undefined;
  }
}

function isChange(value: unknown): value is WholeChange {
  const { put, delete: gone } = (value ?? {}) as { put?: unknown; delete?: unknown };
  return put === undefined ? typeof gone === 'string' : isWholeWrite(put);
}

/** Makes changes on the writes of a file of format 1, which are found by the keys of their records. */
export function applyWholeChanges(writes: Map<string, WholeWrite>, changes: readonly WholeChange[]): void {
  for (const change of changes) {
    if ('put' in change) writes.set(change.put.key, change.put);
    else writes.delete(change.delete);
  }
}

/** The items for writes of format 1. Their texts stay as they are, because they may be encrypted: the outbox reads both forms. */
export function itemsOfWholeWrites(writes: Iterable<WholeWrite>, nextKey: () => number): LoggedItem[] {
  return [...writes].map(({ key, scope, data }) => ({
    ...{ key: nextKey(), scope, record: key, data },
    progress: undefined,
  }));
}
