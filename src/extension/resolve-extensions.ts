import { checkGiven, checkHookNames, inDevelopment } from '../dev/checks.js';
import { describe } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import type { Rule } from '../errors/option-rules.js';
import { isObject } from '../util/data-path.js';
import type { Extension, ExtensionEntry, ExtensionSource, RemovedExtension } from './extension.js';
import type { ExtensionHooks } from './hooks.js';

/** The names of the hooks that an extension may have, each a function. */
const HOOKS = ['prepare', 'encode', 'send', 'write', 'settled', 'answered', 'queued'] as const;

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
