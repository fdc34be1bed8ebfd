import type { RemovedExtension } from './extension.js';

/**
 * Removes an extension of a base model, by its name: an entry of `use`.
 *
 * @example
 * ```ts
 * class Ping extends ApiModel.define({ fields: { id: 'int' }, proxy: { url: '/ping', use: [off('retry')] } }) {}
 * ```
 */
export function off(name: string): RemovedExtension {
  return Object.freeze({ off: name });
}
