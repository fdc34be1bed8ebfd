import { DefinitionError } from './definition-error.js';

/** Refuses a member under the name that it had before: a reader would take its absence for a false answer. */
export function refuseOldName(was: string, now: string): never {
  throw new DefinitionError('member-renamed', { was, now });
}
