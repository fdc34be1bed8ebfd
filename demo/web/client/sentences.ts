import { isDataError } from 'repose';

/** Why something has failed, for the person at the screen. */
export function sentenceOf(error: unknown): string {
  return isDataError(error) ? error.userMessage : 'That was not possible.';
}
