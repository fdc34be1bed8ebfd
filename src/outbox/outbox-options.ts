import { checkGiven, checkOptions } from '../dev/checks.js';
import { any, callable, flag, list, milliseconds, type Rule, type Rules, wholeFrom } from '../errors/option-rules.js';
import { modelClass } from '../model/model-options.js';
import { isData, isObject } from '../util/data-path.js';
import type { OutboxBackoff, OutboxConfig } from './outbox-config.js';
import { OutboxError } from './outbox-error.js';

const storageRule: Rule = {
  expected: 'a storage, such as `indexedDbStorage()` or `memoryStorage()`',
  holds: (value) => isObject(value) && typeof (value as { open?: unknown }).open === 'function',
};

const OUTBOX_RULES: Rules<OutboxConfig> = {
  scope: any,
  storage: storageRule,
  models: {
    expected: 'a list of model classes, such as `[User]`',
    holds: (value) => list.holds(value) && (value as readonly unknown[]).every(modelClass.holds),
  },
  version: /* @__PURE__ */ wholeFrom(0),
  migrate: callable,
  encrypt: callable,
  decrypt: callable,
  concurrency: /* @__PURE__ */ wholeFrom(1),
  backoff: { expected: 'an object, such as `{ base: 1000, max: 60_000 }`', holds: isData },
  maxAttempts: { expected: 'a number from 1', holds: (value) => typeof value === 'number' && value >= 1 },
  autoStart: flag,
  locks: { expected: 'a lock manager, or false', holds: (value) => value === false || isObject(value) },
  connection: {
    expected: 'an object with `online` and the function `onOnline`',
    holds: (value) => typeof (value as { onOnline?: unknown } | null)?.onOnline === 'function',
  },
  onProblem: callable,
  clock: { expected: 'an object with the functions `now` and `after`', holds: isObject },
  random: callable,
};

const BACKOFF_RULES: Rules<OutboxBackoff> = {
  base: /* @__PURE__ */ milliseconds(0),
  max: /* @__PURE__ */ milliseconds(0),
};

/** Throws `DefinitionError` or `OutboxError` for options with which an outbox would keep nothing, or something else than was meant. */
export function checkOutbox(config: OutboxConfig): void {
  checkOptions('Outbox', config, OUTBOX_RULES);
  const { scope, storage, backoff = {} } = config;
  checkOptions('Outbox.backoff', backoff, BACKOFF_RULES);
  if (typeof scope !== 'string' || scope === '') throw new OutboxError('outbox-scope');
  checkGiven('Outbox.storage', storage, storageRule);
}
