import { checkGiven, checkHookNames, inDevelopment } from '../dev/checks.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { toDataError } from '../errors/error-context.js';
import { describe } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import type { Rule } from '../errors/option-rules.js';
import { modelOf } from '../operation/operation-record.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import { isObject } from '../util/data-path.js';
import type { Extension, ExtensionEntry, ExtensionSource, RemovedExtension, Send } from './extension.js';
import type { Keeper } from './keeper.js';
import { LAYERS } from './layers.js';
import type { Outcome, Write, WriteStep } from './write-hook.js';

/** The extensions of a proxy, grouped once by the hooks that they have, so that a request need not search all of them. */
export class ExtensionHooks {
  /** The extensions with a `prepare` hook, outermost first. Most proxies have none. */
  readonly prepare: readonly Extension[];
  /** The extensions with an `answered` hook, outermost first. */
  readonly answered: readonly Extension[];
  /** The extensions with a `capture` hook, outermost first. */
  readonly capture: readonly Extension[];
  /** The extensions with a `settled` hook, outermost first. */
  readonly settled: readonly Extension[];
  /**
   * Whether the values of a write must be captured at the core's checks, because a `write` hook runs between the checks and the
   * request. While such a hook waits, the application may edit the record again.
   */
  readonly isCaptured: boolean;
  /** The outbox of the proxy; undefined if it has none. */
  readonly keeper: Keeper | undefined;
  private readonly beforeChecks: readonly Extension[];
  private readonly afterChecks: readonly Extension[];
  /** The results of `wrapStep`, by the wrapped step. */
  private readonly composedSteps: Map<WriteStep, WriteStep> = new Map();
  /** The results of `withKeeper`, by the outbox. */
  private readonly joined: WeakMap<Keeper, ExtensionHooks> = new WeakMap();

  /** `extensions` must be sorted, outermost first. */
  constructor(private readonly extensions: readonly Extension[]) {
    const withWriteHook = extensions.filter(({ write }) => write);
    this.beforeChecks = withWriteHook.filter(({ layer }) => layer < LAYERS.checks);
    this.afterChecks = withWriteHook.filter(({ layer }) => layer >= LAYERS.checks);
    this.isCaptured = this.afterChecks.length > 0;
    this.prepare = extensions.filter(({ prepare }) => prepare);
    this.answered = extensions.filter(({ answered }) => answered);
    this.capture = extensions.filter(({ capture }) => capture);
    this.settled = extensions.filter(({ settled }) => settled);
    this.keeper = extensions.findLast(({ keeper }) => keeper)?.keeper;
  }

  /**
   * These hooks together with those of `keeper`, the outbox that stores a record's writes. That outbox takes part in every write of the
   * record, even if the write goes through a proxy without the outbox.
   */
  withKeeper(keeper: Keeper): ExtensionHooks {
    if (keeper === this.keeper) return this;
    const known = this.joined.get(keeper);
    const hooks = known ?? new ExtensionHooks(resolveExtensions([...this.extensions, ...keeper.extensions]));
    if (!known) this.joined.set(keeper, hooks);
    return hooks;
  }

  /** Wraps a step. From outside in: `write` hooks below `LAYERS.checks`, the core's checks, the other `write` hooks, the step. */
  wrapStep(exchange: WriteStep, checks: (next: WriteStep) => WriteStep): WriteStep {
    let step = this.composedSteps.get(exchange);
    if (!step) {
      step = composeWrite(this.beforeChecks, checks(composeWrite(this.afterChecks, exchange)));
      this.composedSteps.set(exchange, step);
    }
    return step;
  }
}

/** Wraps `sendOnce` in the `send` hooks of a proxy's extensions. If no extension has one, `sendOnce` itself is returned. */
export function composeSend(proxy: AjaxProxy, sendOnce: Send): Send {
  return proxy.extensions.reduceRight<Send>(
    (next, extension) =>
      extension.send ? (request) => extension.send?.(request, next, proxy) as ReturnType<Send> : next,
    sendOnce,
  );
}

/** Wraps a step in the `write` hooks of the extensions. If no extension has one, the step itself is returned. */
function composeWrite(extensions: readonly Extension[], step: WriteStep): WriteStep {
  return extensions.reduceRight<WriteStep>(
    (next, extension) =>
      extension.write
        ? catchErrors(
            extension.name,
            (write) => extension.write?.(write, sameWrite(write, next)) as ReturnType<WriteStep>,
          )
        : next,
    step,
  );
}

/** The next step of a write, which refuses any other object: a copy of a write would send other values than those captured. */
function sameWrite(write: Write, next: WriteStep): WriteStep {
  return (given) => {
    if (given !== write) throw new DefinitionError('write-captured', { what: 'The write given to `next`' });
    return next(write);
  };
}

/**
 * Wraps a `write` hook so that the result never rejects and has an outcome for each record: an error that the hook throws becomes the
 * outcome of all records of the write. The hook starts in the same tick.
 */
function catchErrors(name: string, step: WriteStep): WriteStep {
  return async (write) => {
    try {
      const outcomes: unknown = await step(write);
      checkOutcomes(outcomes, name, write.records.length);
      return outcomes;
    } catch (cause) {
      return failedOutcomes(write, withExtensionName(name, cause));
    }
  };
}

/** The error of a hook, which names its extension. Errors that an extension makes on purpose stay as they are. */
function withExtensionName(name: string, cause: unknown): unknown {
  if (!hasErrorBrand(cause)) return new DefinitionError('extension-failed', { name, why: cause }, { cause });
  if (cause.reason !== 'write-captured') return cause;
  return new DefinitionError('extension-captured', { what: cause.params['what'], name }, { cause });
}

/** Throws if a hook did not return an outcome for each record: a record without an outcome would never settle. */
function checkOutcomes(outcomes: unknown, name: string, count: number): asserts outcomes is readonly Outcome[] {
  if (Array.isArray(outcomes) && outcomes.length === count && outcomes.every(isOutcome)) return;
  throw new DefinitionError('extension-outcomes', { name, count });
}

function isOutcome(value: unknown): value is Outcome {
  if (!isObject(value)) return false;
  const { error } = value as Partial<Outcome>;
  return error === undefined || hasErrorBrand(error);
}

/** The outcomes of a write that failed as a whole: the same error for each record. */
export function failedOutcomes({ operation, records }: Write, cause: unknown): readonly Outcome[] {
  const error = toDataError(operation, modelOf(operation)?.messages, cause);
  return records.map(() => ({ error }));
}

/** The names of the hooks that an extension may have, each a function. */
const HOOKS = ['prepare', 'encode', 'send', 'write', 'settled', 'answered'] as const;

/**
 * Returns the extensions of a proxy, outermost first. If two entries have the same name, the later entry replaces the earlier one;
 * extensions that `off()` removed are left out. Throws `DefinitionError` for an entry that is not an extension.
 */
export function resolveExtensions(entries: readonly ExtensionEntry[]): readonly Extension[] {
  inDevelopment(checkEntries, entries);
  const byName = new Map<string, Extension>();
  for (const entry of entries.flatMap(extensionsIn)) {
    if (isRemoval(entry)) byName.delete(entry.off);
    else byName.set(entry.name, entry);
  }
  return Object.freeze([...byName.values()].sort((a, b) => a.layer - b.layer || (a.name < b.name ? -1 : 1)));
}

/** The extensions that one entry of `use` contains: one, several (a list, which may hold lists), or those of an `ExtensionSource`. */
function extensionsIn(entry: ExtensionEntry): readonly (Extension | RemovedExtension)[] {
  if (Array.isArray(entry)) return (entry as readonly ExtensionEntry[]).flatMap(extensionsIn);
  const { extensions } = (isObject(entry) ? entry : {}) as Partial<ExtensionSource>;
  return Array.isArray(extensions) ? extensions : [entry as Extension];
}

/** Whether the option `proxy` of a model or store includes an outbox: in its `use` list, or in a proxy that was created already. */
export function includesOutbox(proxy: unknown): boolean {
  const { use, hooks } = (proxy ?? {}) as { use?: readonly ExtensionEntry[]; hooks?: ExtensionHooks };
  if (hooks) return hooks.keeper !== undefined;
  if (!Array.isArray(use)) return false;
  return use.flatMap(extensionsIn).some((entry) => !isRemoval(entry) && entry?.keeper !== undefined);
}

function isRemoval(entry: Extension | RemovedExtension): entry is RemovedExtension {
  return isObject(entry) && typeof (entry as RemovedExtension).off === 'string';
}

function checkEntries(entries: unknown): void {
  if (!Array.isArray(entries)) throw new DefinitionError('extension-list', { value: describe(entries) });
  for (const entry of (entries as readonly ExtensionEntry[]).flatMap(extensionsIn)) {
    if (isRemoval(entry)) continue;
    const isExtension = isObject(entry) && typeof entry.name === 'string' && Number.isFinite(entry.layer);
    if (!isExtension) throw new DefinitionError('extension', { value: describe(entry) });
    for (const hook of HOOKS) {
      const hookValue: unknown = entry[hook];
      if (hookValue !== undefined && typeof hookValue !== 'function')
        throw new DefinitionError('extension-hook', { name: entry.name, hook, value: describe(hookValue) });
    }
    // Other members are the extension's own, unless they are nearly called like a hook.
    checkHookNames(entry, entry.name, HOOKS);
  }
}

const extensionName: Rule = {
  expected: "the name of an extension, such as 'retry'",
  holds: (value) => typeof value === 'string',
};

/**
 * Removes an extension of a base model, by its name: an entry of `use`. Throws `DefinitionError` for a name that is no text.
 *
 * @example
 * ```ts
 * class Ping extends ApiModel.define({ fields: { id: 'int' }, proxy: { url: '/ping', use: [off('retry')] } }) {}
 * ```
 */
export function off(name: string): RemovedExtension {
  checkGiven('The argument of `off`', name, extensionName);
  return Object.freeze({ off: name });
}
