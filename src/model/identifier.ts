import { checkOptions } from '../dev/checks.js';
import { isOptionSet, text, wholeFrom, wrongValue } from '../errors/option-rules.js';
import type { RecordId } from '../operation/actions.js';
import type { IdCounters } from './id-counters.js';

/** Makes the temporary id of a new record; returns undefined if only the application can give the id. */
export type Identifier = () => RecordId | undefined;

/**
 * Options of temporary ids that are counted.
 *
 * Models that are defined on one another share the count, and ids that a store or session holds are left out.
 */
export interface IdentifierOptions {
  /**
   * Text before the number of each id, so that ids are texts.
   * @default the model's name and a dash; none if the id field holds numbers, whose temporary ids are negative
   */
  prefix?: string;
  /**
   * The first number, at least 1. It lets new ids continue after earlier ones, such as those of drafts that the application stores. Ids
   * of records in a store or session are never given again, so a seed is not needed for these.
   * @default 1
   */
  seed?: number;
}

/**
 * How new records get ids. `sequential` (`user-1`), `negative` (-1), `uuid()`, options of counted ids, or a function: temporary ids,
 * which the server replaces. `natural`: ids with a meaning, such as an e-mail address or a code; the application gives them, and
 * creates send them.
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
export type IdentifierConfig = 'sequential' | 'negative' | 'natural' | IdentifierOptions | (() => RecordId);

/** Temporary ids that are counted: the first number, and the text before each number. Without a text, ids are negative numbers. */
export interface CountedIds {
  readonly prefix: string | undefined;
  readonly seed: number;
}

/** The option `identifier`, with all defaults filled in. */
export type IdentifierPlan = 'natural' | CountedIds | (() => RecordId);

/** Fills in the defaults of the option `identifier`. Throws `DefinitionError` for an invalid value. */
export function planIdentifier(config: IdentifierConfig, model: string, idType: string): IdentifierPlan {
  const prefix = `${model}-`;
  const numeric = /^(int|number|bigint)$/.test(idType);
  switch (config) {
    case 'natural':
      return config;
    case 'sequential':
      return { prefix, seed: 1 };
    case 'negative':
      return { prefix: undefined, seed: 1 };
    default:
      if (typeof config === 'function') return config;
      if (!isOptionSet(config as unknown))
        throw wrongValue(
          'identifier',
          "'sequential', 'negative', 'natural', { prefix, seed }, `uuid()` with `uuid` from 'repose', or a function",
          config,
        );
      checkOptions('identifier', config, { prefix: text, seed: wholeFrom(1) });
      return { prefix: config.prefix ?? (numeric ? undefined : prefix), seed: config.seed ?? 1 };
  }
}

/** Makes the identifier of a model. Models of a family share the counters. */
export function createIdentifier(plan: IdentifierPlan, counters: IdCounters): Identifier {
  if (typeof plan === 'function') return plan;
  if (plan === 'natural') return () => undefined;
  // Made now, so that ids of records that come before the first new record move the counter as well.
  counters.counterOf(plan);
  return () => counters.next(plan);
}

/**
 * Makes temporary ids random UUIDs. The server may keep them as its own: then give `writer: { writeRecordId: true }` to the proxy.
 *
 * @example
 * ```ts
 * class Draft extends Model.define({ fields: { id: 'string', title: 'string' }, identifier: uuid() }) {}
 * new Draft({ title: 'Plan' }).getId(); // '0b5ed6cd-…'
 * ```
 */
export function uuid(): () => string {
  return randomUuid;
}

/** Makes a random UUID (RFC 9562, version 4). Pages without TLS have no `crypto.randomUUID`. */
export function randomUuid(): string {
  // Made from random bytes that the platform keeps ready, and so several times faster.
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (each) => each.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-b$4-');
}
