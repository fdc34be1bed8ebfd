import { checkOptions } from '../dev/checks.js';
import { object, type Rule, type Rules } from '../errors/option-rules.js';
import type { Extension } from '../extension/extension.js';
import { isObject } from '../util/data-path.js';
import { confirm } from './confirm.js';
import { type ConflictsConfig, conflicts } from './conflicts/conflicts.js';
import { type EtagsConfig, etags } from './etags.js';
import { type IdempotencyConfig, idempotency } from './idempotency.js';
import { type RetryConfig, retry } from './retry.js';

/** Options of {@link safeWrites}. */
export interface SafeWritesConfig {
  /**
   * Idempotency keys, with which creates are repeated too: true, or the options of `idempotency()`. Only for servers that honour such keys:
   * any other server may create the record twice.
   * @default false
   */
  idempotency?: boolean | IdempotencyConfig;
  /** Options of `etags()`. */
  etags?: EtagsConfig;
  /** Options of `conflicts()`. */
  conflicts?: ConflictsConfig;
  /** Options of `retry()`. */
  retry?: RetryConfig;
}

const switchOrOptions: Rule = {
  expected: 'true, false or the options of `idempotency()`',
  holds: (value) => typeof value === 'boolean' || isObject(value),
};

const RULES: Rules<SafeWritesConfig> = {
  idempotency: switchOrOptions,
  etags: object,
  conflicts: object,
  retry: object,
};

/**
 * Everything that keeps writes from being lost, doubled or overwritten, as one entry of `use`: `etags()`, `conflicts()`, `confirm()` and
 * `retry()`, and `idempotency()` on request. Each part can be replaced by a later entry of its name, or removed by `off(name)`. Throws
 * `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { dialect: plain(), use: [safeWrites()] } }) {}
 * ```
 */
export function safeWrites(config: SafeWritesConfig = {}): readonly Extension[] {
  checkOptions('safeWrites', config, RULES);
  const { idempotency: keys = false } = config;
  const parts = [etags(config.etags), conflicts(config.conflicts), confirm(), ...retry(config.retry)];
  return keys === false ? parts : [...parts, idempotency(keys === true ? {} : keys)];
}
