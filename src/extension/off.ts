import { checkGiven } from '../dev/checks.js';
import type { Rule } from '../errors/option-rules.js';
import type { RemovedExtension } from './extension.js';

const extensionName: Rule = {
  expected: "the name of an extension, such as 'retry'",
  holds: (value) => typeof value === 'string',
};

/**
 * Removes an extension of a base model, by its name: an entry of `use`.
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
