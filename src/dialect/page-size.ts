import { ReadError } from '../errors/read-error.js';
import type { StepContext } from './dialect.js';

/**
 * Throws `ReadError` for a later page of a server that counts pages in its own, smaller size: the last rows of the collection would
 * never be asked for. `size` is the number of rows per page as the response tells it.
 */
export function checkPageSize({ request }: StepContext, size: unknown): void {
  const { page = 1, limit } = request.operation;
  const most = Number(size);
  if (page > 1 && limit && most > 0 && most < limit) throw new ReadError('response-limit', { most, limit });
}
