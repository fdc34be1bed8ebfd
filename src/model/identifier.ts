import { checkOptions, text, wholeFrom, wrongValue } from '../errors/option-rules.js';
import type { RecordId } from '../operation/actions.js';
import { isPlainObject } from '../util/values.js';

/** Gives a new record the id that it has until the server gives it one; undefined where only the application can give one. */
export type Identifier = () => RecordId | undefined;

/** How temporary ids are counted. */
export interface IdentifierOptions {
  /**
   * Text before the number of each id, so that ids are texts.
   * @default the name of the model and a dash; none where the id field holds numbers, whose temporary ids are negative
   */
  prefix?: string;
  /**
   * The first number, from 1: to go on from ids that were given before, such as those of drafts that are kept elsewhere.
   * @default 1
   */
  seed?: number;
}

/**
 * `sequential` (`user-1`), `negative` (-1), `uuid`, options that say how to count, or a function: temporary ids, which the server
 * replaces. `natural`: ids that mean something, such as an e-mail address or a code. The application gives them and creates send
 * them (H14).
 *
 * @example
 * ```ts
 * class Draft extends Model.define({
 *   fields: { id: 'string', title: 'string' },
 *   identifier: { prefix: 'draft-', seed: 100 },
 * }) {}
 * new Draft({ title: 'Plan' }).getId(); // 'draft-100'
 * ```
 */
export type IdentifierConfig = 'sequential' | 'negative' | 'uuid' | 'natural' | IdentifierOptions | (() => RecordId);

/** Temporary ids that are counted: the number of the first one, and the text before each; without a text, ids are negative. */
export interface CountedIds {
  readonly prefix: string | undefined;
  readonly seed: number;
}

/** A complete `identifier` option. */
export type IdentifierPlan = 'uuid' | 'natural' | CountedIds | (() => RecordId);

/** Completes the option `identifier` for a model. Throws `DefinitionError` for a value that the option cannot have. */
export function planIdentifier(config: IdentifierConfig, model: string, idType: string): IdentifierPlan {
  const prefix = `${model}-`;
  const numeric = /^(int|number|bigint)$/.test(idType);
  switch (config) {
    case 'uuid':
    case 'natural':
      return config;
    case 'sequential':
      return { prefix, seed: 1 };
    case 'negative':
      return { prefix: undefined, seed: 1 };
    default:
      if (typeof config === 'function') return config;
      if (!isPlainObject(config as unknown))
        throw wrongValue(
          'identifier',
          "'sequential', 'negative', 'uuid', 'natural', { prefix, seed } or a function",
          config,
        );
      checkOptions('identifier', config, { prefix: text, seed: wholeFrom(1) });
      return { prefix: config.prefix ?? (numeric ? undefined : prefix), seed: config.seed ?? 1 };
  }
}

/** The identifier of a model; its counter is its own. */
export function createIdentifier(plan: IdentifierPlan): Identifier {
  if (typeof plan === 'function') return plan;
  if (plan === 'uuid') return randomId;
  if (plan === 'natural') return () => undefined;
  const { prefix, seed } = plan;
  let next = seed;
  return () => {
    const number = next;
    next += 1;
    return prefix === undefined ? -number : `${prefix}${number}`;
  };
}

/** The number of an id that was counted; undefined where no counting gives such an id. */
export function countedNumber({ prefix, seed }: CountedIds, id: unknown): number | undefined {
  const digits = String(id).slice(prefix === undefined ? 1 : prefix.length);
  const number = /^[1-9]\d*$/.test(digits) ? Number(digits) : 0;
  const counted = prefix === undefined ? -number : `${prefix}${number}`;
  return number >= seed && id === counted ? number : undefined;
}

/** A random uuid (RFC 9562 version 4), also on pages without TLS, which lack `randomUUID`. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (each) => each.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-b$4-');
}
