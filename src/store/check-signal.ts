import { DefinitionError } from '../errors/definition-error.js';
import { describe } from '../errors/messages.js';

/** Throws `DefinitionError` for what is no signal, such as the controller itself. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (!signal || typeof signal.addEventListener === 'function') return;
  throw new DefinitionError('query-value', { name: 'signal', expected: 'an AbortSignal', value: describe(signal) });
}
