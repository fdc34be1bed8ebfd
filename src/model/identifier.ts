import type { RecordId } from '../operation/actions.js';

/** How new records are identified until the server gives them an id. */
export interface Identifier {
  next(): RecordId;
  /** Whether an id may be one that this made: such an id never goes into an address (H10). */
  issued(id: unknown): boolean;
  /** Hears of an id that is a record's for good, whoever made it. */
  keep?(id: unknown): void;
}

/** `sequential` (`user-1`), `negative` (-1), `uuid`, or a function. */
export type IdentifierConfig = 'sequential' | 'negative' | 'uuid' | (() => RecordId);

/** The identifier of a model; its counter is its own. */
export function createIdentifier(config: IdentifierConfig, name: string): Identifier {
  let count = 0;
  if (typeof config === 'function') {
    const made = new Set<RecordId>();
    return {
      next: () => {
        const id = config();
        made.add(id);
        return id;
      },
      issued: (id) => made.has(id as RecordId),
      keep: (id) => made.delete(id as RecordId),
    };
  }
  // A uuid may well be the record's id for good: it stays an ordinary value.
  if (config === 'uuid') return { next: randomId, issued: () => false };
  const negative = config === 'negative';
  const prefix = negative ? '-' : `${name}-`;
  return {
    next() {
      const id = prefix + (count += 1);
      return negative ? Number(id) : id;
    },
    issued(id) {
      const number = String(id).startsWith(prefix) ? Number(String(id).slice(prefix.length)) : Number.NaN;
      return (typeof id === 'number') === negative && Number.isInteger(number) && number <= count;
    },
  };
}

/** A random uuid (RFC 9562 version 4), also on pages without TLS, which lack `randomUUID`. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (each) => each.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-b$4-');
}
