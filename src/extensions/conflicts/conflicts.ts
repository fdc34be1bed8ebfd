import type { ConflictError } from '../../errors/conflict-error.js';
import type { DataError } from '../../errors/data-error.js';
import { checkNoOptions } from '../../errors/option-rules.js';
import type { Extension } from '../../extension/extension.js';
import { LAYERS } from '../../extension/layers.js';
import type { Write } from '../../extension/write.js';
import { inner } from '../../model/record.js';
import { attachResolver } from './conflict-resolution.js';

/**
 * Lets the application resolve conflicts. The `ConflictError` of a 409, 412 or 428 gets the server's row (`theirs`), if the answer
 * holds it, and working methods `keepMine()`, `takeTheirs()` and `merge()`. Without this extension these methods throw, and `theirs`
 * is undefined.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { use: [conflicts()] } }) {}
 * ```
 */
export function conflicts(...none: readonly never[]): Extension {
  checkNoOptions('conflicts', none);
  return Object.freeze<Extension>({
    name: 'conflicts',
    layer: LAYERS.conflicts,
    async write(write, next) {
      const outcomes = await next(write);
      for (const [at, { error }] of outcomes.entries())
        if (error && isConflict(error))
          attachResolver(inner(write.records[at] as Write['records'][number]), error, () => write.proxy);
      return outcomes;
    },
  });
}

function isConflict(error: DataError): error is ConflictError {
  // The conflict of a request with several records does not say which row of the server belongs to which record.
  return error.code === 'conflict' && error.operation?.records.length === 1;
}
