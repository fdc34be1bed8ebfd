import { ValidationError } from '../errors/validation-error.js';

/** The body as JSON. Throws `ValidationError` for what JSON cannot carry. */
export function bodyText(body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new ValidationError([{ path: [], message: (cause as Error).message, code: 'json' }], { cause });
  }
}
