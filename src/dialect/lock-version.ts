import { MODEL } from '../operation/operation-record.js';
import { isData, parsePath, readPath } from '../util/data-path.js';
import type { StepContext } from './dialect.js';

/**
 * Adds the version that came with the row, its member `name`, to the body of an update, if `adds`. A body that holds this member, such as
 * a whole row, is marked as versioned: the server refuses it with 409 if the row has changed.
 */
export function noteLockVersion({ request, options }: StepContext, body: unknown, name: string, adds: boolean): void {
  const [record] = request.operation.records;
  if (request.action !== 'update' || request.bulk || !record) return;
  const { rootProperty } = options.writer;
  const row = rootProperty ? readPath(body, parsePath(rootProperty)) : body;
  if (!isData(row)) return;
  const version = record[MODEL].row(record)[name];
  if (adds && version !== undefined) (row as Record<string, unknown>)[name] = version;
  request.versioned = Object.hasOwn(row, name);
}
