import { isPath, parsePath } from '../util/data-path.js';
import { MAX_DEPTH } from '../util/nesting.js';
import { DefinitionError } from './definition-error.js';

/** Throws `DefinitionError` for a malformed path. The error names the `option` that holds the path. */
export function checkPath(path: string, option: string): void {
  if (path.length > MAX_DEPTH && parsePath(path).length > MAX_DEPTH)
    throw new DefinitionError('path-depth', { option, most: MAX_DEPTH });
  if (!isPath(path)) throw new DefinitionError('path-malformed', { path, option });
}
