import type { testingMessages as allTestingMessages } from '../dev/messages/testing.js';
import { testingMessages } from '../dev/texts.js';
import { DefinitionError } from '../errors/definition-error.js';

/** Creates the error for wrong use of a test tool. */
export function misuse(
  reason: keyof typeof allTestingMessages,
  params: Readonly<Record<string, unknown>>,
): DefinitionError {
  return new DefinitionError(reason, params, { messages: testingMessages });
}
