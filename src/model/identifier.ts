import type { RecordId } from '../operation/actions.js';

/** How new records are identified until the server gives them an id. */
export interface Identifier {
  next(): RecordId;
  /** Whether an id may be one that this made: such an id never goes into an address (H10). */
  issued(id: unknown): boolean;
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
    };
  }
  // A uuid may well be the record's id for good: it stays an ordinary value.
  if (config === 'uuid') return { next: randomId, issued: () => false };
  if (config === 'negative') {
    return {
      next: () => -(count += 1),
      issued: (id) => Number.isInteger(id) && (id as number) < 0 && (id as number) >= -count,
    };
  }
  return {
    next: () => `${name}-${(count += 1)}`,
    issued: (id) => typeof id === 'string' && id.startsWith(`${name}-`) && Number(id.slice(name.length + 1)) <= count,
  };
}

/** A random uuid (RFC 9562 version 4), also on pages without TLS, which lack `randomUUID`. */
export function randomId(): string {
  const { crypto } = globalThis;
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 15) | 64;
  bytes[8] = ((bytes[8] as number) & 63) | 128;
  const hex = [...bytes].map((each) => each.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
