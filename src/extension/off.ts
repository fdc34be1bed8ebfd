import type { RemovedExtension } from './extension.js';

/**
 * Removes an extension by its name from those that a base model uses.
 *
 * @example
 * ```ts
 * class Ping extends ApiModel.define({ fields: { id: 'int' }, proxy: { url: '/ping', use: [off('retry')] } }) {}
 * ```
 */
export function off(name: string): RemovedExtension {
  return Object.freeze({ off: name });
}
