import { ReadError } from '../errors/read-error.js';
import { isValidId, keepsDigits } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import type { ModelDefinition } from './model-definition.js';

/** The members of an operation that describe its response. */
export type OperationAnswer = Partial<Pick<Operation, 'resultSet' | 'response' | 'singleton'>>;

/**
 * The raw id of a created record, if the body of the response has none: the id in the `Location` header, else the id that
 * the client has sent on request. A singleton needs no id. Throws `ReadError` if there is no id: the create is then
 * unconfirmed.
 */
export function createdId(model: ModelDefinition, answer: OperationAnswer, sentId: unknown): unknown {
  const { resultSet, response, singleton } = answer;
  // A natural id stays as the application gave it, whatever `Location` says.
  if ((model.naturalId || model.idParts) && isValidId(sentId)) return sentId;
  const text = resultSet?.locationId;
  const id = text === undefined || model.idParts ? undefined : acceptedId(model, text);
  if (id !== undefined) return id;
  if (isValidId(sentId) || singleton) return sentId;
  const header = response?.headers.get('Location');
  throw new ReadError('response-no-id', {
    location: header ? `, and its Location '${header}' names no ${model.name}` : '',
  });
}

/** Converts a text to a raw id; undefined if the id field refuses it. */
function acceptedId(model: ModelDefinition, text: string): unknown {
  const { idField } = model;
  const id = model.idFromText(text);
  const issuesOf = (value: unknown) => idField.check(value, true, { [idField.name]: value });
  const issues = issuesOf(id);
  if (issues.length === 0) return id;
  // An integer with more digits than JavaScript keeps stays a text.
  const isLongNumber = /^(int|number)$/.test(idField.type) && /^[+-]?\d+$/.test(text);
  if (isLongNumber && issues.every(({ code }) => code === 'type')) return id;
  // A schema for numbers refuses a text, so the number itself is tried.
  const number = Number(text);
  const isNumber = idField.type === 'schema' && String(number) === text && keepsDigits(number);
  return isNumber && issuesOf(number).length === 0 ? number : undefined;
}
