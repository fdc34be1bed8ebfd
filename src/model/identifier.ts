import type { RecordId } from '../operation/actions.js';

/** Gives a new record the id that it has until the server gives it one; undefined where only the application can give one. */
export type Identifier = () => RecordId | undefined;

/**
 * `sequential` (`user-1`), `negative` (-1), `uuid`, or a function: temporary ids, which the server replaces. `natural`: ids that mean
 * something, such as an e-mail address or a code. The application gives them and creates send them (H14).
 */
export type IdentifierConfig = 'sequential' | 'negative' | 'uuid' | 'natural' | (() => RecordId);

/** The identifier of a model; its counter is its own. */
export function createIdentifier(config: IdentifierConfig, name: string): Identifier {
  if (typeof config === 'function') return config;
  if (config === 'uuid') return randomId;
  if (config === 'natural') return () => undefined;
  let count = 0;
  return () => {
    count += 1;
    return config === 'negative' ? -count : `${name}-${count}`;
  };
}

/** A random uuid (RFC 9562 version 4), also on pages without TLS, which lack `randomUUID`. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (each) => each.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-b$4-');
}
