import { isPath } from '../util/data-path.js';
import { DefinitionError } from './definition-error.js';

/** Throws `DefinitionError` for a malformed path. The error names the `option` that holds the path. */
export function checkPath(path: string, option: string): void {
  if (!isPath(path)) throw new DefinitionError('path-malformed', { path, option });
}
