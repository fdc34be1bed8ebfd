import { DefinitionError } from '../errors/definition-error.js';
import { describe } from '../errors/messages.js';
import { isObject } from '../util/data-path.js';
import type { Extension, ExtensionEntry, ExtensionSource, RemovedExtension } from './extension.js';
import type { ExtensionHooks } from './hooks.js';

/** The hooks of an extension. */
const HOOKS = ['prepare', 'send', 'write', 'settled', 'answered', 'queued'] as const;

/**
 * The extensions of a proxy, outermost first: of two with one name the later one, without those that `off()` removed.
 * Throws `DefinitionError` for an entry that is no extension.
 */
export function arrange(entries: readonly ExtensionEntry[]): readonly Extension[] {
  if (!Array.isArray(entries)) throw new DefinitionError('extension-list', { value: describe(entries) });
  const byName = new Map<string, Extension>();
  for (const entry of entries.flatMap(extensionsIn)) {
    if (isRemoval(entry)) byName.delete(entry.off);
    else {
      checkExtension(entry);
      byName.set(entry.name, entry);
    }
  }
  return Object.freeze([...byName.values()].sort((a, b) => a.layer - b.layer || (a.name < b.name ? -1 : 1)));
}

/** The extensions that an entry of `use` stands for. */
function extensionsIn(entry: ExtensionEntry): readonly (Extension | RemovedExtension)[] {
  if (Array.isArray(entry)) return entry as readonly Extension[];
  const { extensions } = (isObject(entry) ? entry : {}) as Partial<ExtensionSource>;
  return Array.isArray(extensions) ? extensions : [entry as Extension];
}

/** Whether the option `proxy` of a model or store brings an outbox: in its list of extensions, or as a proxy that is made already. */
export function bringsKeeper(proxy: unknown): boolean {
  const { use, hooks } = (proxy ?? {}) as { use?: readonly ExtensionEntry[]; hooks?: ExtensionHooks };
  if (hooks) return hooks.keeper !== undefined;
  if (!Array.isArray(use)) return false;
  return use.flatMap(extensionsIn).some((entry) => !isRemoval(entry) && entry?.keeper !== undefined);
}

function isRemoval(entry: Extension | RemovedExtension): entry is RemovedExtension {
  return isObject(entry) && typeof (entry as RemovedExtension).off === 'string';
}

function checkExtension(entry: Extension): void {
  const isExtension = isObject(entry) && typeof entry.name === 'string' && Number.isFinite(entry.layer);
  if (!isExtension) throw new DefinitionError('extension', { value: describe(entry) });
  for (const hook of HOOKS) {
    const given: unknown = entry[hook];
    if (given !== undefined && typeof given !== 'function')
      throw new DefinitionError('extension-hook', { name: entry.name, hook, value: describe(given) });
  }
}
