import { DataError } from './data-error.js';

/** A model, field or proxy is declared wrongly. A mistake to mend in the code, not an outcome to handle. */
export class DefinitionError extends DataError {
  override readonly name = 'DefinitionError' as const;
  readonly code = 'definition' as const;
}
