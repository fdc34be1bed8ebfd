import { gridMessages } from '../dev/texts.js';
import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { ModelDefinition } from '../model/model-definition.js';

/** The error of a query of a library that a store cannot apply. `remedy` says what to do instead. */
export function refuseLibraryQuery(
  model: ModelDefinition,
  library: string,
  what: string,
  remedy: string,
): UnsupportedQueryError {
  const messages = { ...gridMessages, ...model.messages };
  return new UnsupportedQueryError('query-grid', { what, library, remedy }, { messages });
}
