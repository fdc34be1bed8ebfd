import { DefinitionError } from '../errors/definition-error.js';
import type { testingMessages } from '../errors/messages/testing.js';

/** A test tool is used wrongly. */
export function misuse(
  reason: keyof typeof testingMessages,
  params: Readonly<Record<string, unknown>>,
): DefinitionError {
  return new DefinitionError(reason, params);
}
