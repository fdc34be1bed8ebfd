import { DataError } from './data-error.js';

/** A model, field or proxy is declared wrongly. This is a mistake in the code: correct the code instead of handling the error. */
export class DefinitionError extends DataError {
  override readonly name = 'DefinitionError' as const;
  readonly code = 'definition' as const;
}
