import { isPath } from '../util/data-path.js';
import { DefinitionError } from './definition-error.js';

/** Throws `DefinitionError` for a malformed path; `option` names in the error where it was given. */
export function checkPath(path: string, option: string): void {
  if (!isPath(path)) throw new DefinitionError('path-malformed', { path, option });
}
