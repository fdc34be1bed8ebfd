import { DefinitionError } from '../errors/definition-error.js';
import { testingMessages } from '../errors/messages/testing.js';

/** Creates the error for wrong use of a test tool. */
export function misuse(
  reason: keyof typeof testingMessages,
  params: Readonly<Record<string, unknown>>,
): DefinitionError {
  return new DefinitionError(reason, params, { messages: testingMessages });
}
