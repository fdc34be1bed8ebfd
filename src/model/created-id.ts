import { ReadError } from '../errors/read-error.js';
import { isValidId, keepsDigits } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import type { ModelDefinition } from './model-definition.js';

/** What an operation says about its answer. */
export type Answered = Partial<Pick<Operation, 'resultSet' | 'response' | 'singleton'>>;

/**
 * The raw id of a created record where the body has none: from `Location` (H17), or the one that was sent on purpose (H14); a
 * singleton needs none (H5). Throws `ReadError` where there is neither: the create is in doubt.
 */
export function createdId(model: ModelDefinition, answered: Answered, sentId: unknown): unknown {
  const { resultSet, response, singleton } = answered;
  // An id that means something stays, whatever the address says.
  if (model.naturalId && isValidId(sentId)) return sentId;
  const text = resultSet?.locationId;
  const id = text === undefined ? undefined : acceptedId(model, text);
  if (id !== undefined) return id;
  if (isValidId(sentId) || singleton) return sentId;
  const header = response?.headers.get('Location');
  throw new ReadError('reply-no-id', {
    location: header ? `, and its Location '${header}' names no ${model.name}` : '',
  });
}

/** The raw id that a text stands for; undefined where the id field refuses it. */
function acceptedId(model: ModelDefinition, text: string): unknown {
  const { idField } = model;
  const id = model.idFromText(text);
  const issuesOf = (value: unknown) => idField.check(value, true, { [idField.name]: value });
  const issues = issuesOf(id);
  if (issues.length === 0) return id;
  // A whole number with more digits than JavaScript keeps stays a text (H2).
  const isLongNumber = /^(int|number)$/.test(idField.type) && /^[+-]?\d+$/.test(text);
  if (isLongNumber && issues.every(({ code }) => code === 'type')) return id;
  // A schema of numbers refuses their text.
  const number = Number(text);
  const isNumber = idField.type === 'schema' && String(number) === text && keepsDigits(number);
  return isNumber && issuesOf(number).length === 0 ? number : undefined;
}
