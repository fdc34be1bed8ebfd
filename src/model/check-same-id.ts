import { ReadError } from '../errors/read-error.js';
import type { Data } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import type { ModelDefinition } from './model-definition.js';

/** Throws `ReadError` for a row whose id is not one of `ids` (H6). The first of them is the id that was requested. */
export function checkSameId(model: ModelDefinition, ids: readonly unknown[], row: Data, hint: string = ''): void {
  const got = model.rowId(row);
  if (got === undefined || ids.some((id) => isSameId(model, id, got))) return;
  throw new ReadError('reply-id', { model: model.name, asked: ids[0], got, hint });
}

/** Whether two raw ids name the same record. Ids are compared by their text; for number ids, leading zeros do not count. */
function isSameId({ idField }: ModelDefinition, a: unknown, b: unknown): boolean {
  const [first, second] = [idKey(a), idKey(b)];
  const isNumber = /^(int|number|bigint)$/.test(idField.type);
  return first === second || (isNumber && withoutLeadingZeros(first) === withoutLeadingZeros(second));
}

function withoutLeadingZeros(text: string): string {
  return text.replace(/^\+(?=\d)/, '').replace(/^(-?)0+(?=\d)/, '$1');
}
