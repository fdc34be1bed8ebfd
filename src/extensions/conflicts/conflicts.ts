import type { ConflictError } from '../../errors/conflict-error.js';
import type { DataError } from '../../errors/data-error.js';
import type { Extension } from '../../extension/extension.js';
import { LAYERS } from '../../extension/layers.js';
import type { Write } from '../../extension/write.js';
import { inner } from '../../model/record.js';
import { armConflict } from './conflict-resolution.js';

/**
 * Gives conflicts their ways out: the `ConflictError` of a 409, 412 or 428 tells what the server has now (`theirs`), where the answer
 * holds it, and ends by `keepMine()`, `takeTheirs()` or `merge()`. Without it these throw, and `theirs` is unknown.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { use: [conflicts()] } }) {}
 * ```
 */
export function conflicts(): Extension {
  return Object.freeze<Extension>({
    name: 'conflicts',
    layer: LAYERS.conflicts,
    async write(write, next) {
      const outcomes = await next(write);
      for (const [at, { error }] of outcomes.entries())
        if (error && isConflict(error)) attachResolver(write, at, error);
      return outcomes;
    },
  });
}

function isConflict(error: DataError): error is ConflictError {
  // A conflict of several tells of none which row the server has.
  return error.code === 'conflict' && error.operation?.records.length === 1;
}

function attachResolver({ records, proxy }: Write, at: number, error: ConflictError): void {
  armConflict(inner(records[at] as Write['records'][number]), error, () => proxy);
}
