import { DataError, type DataErrorOptions } from './data-error.js';
import { formatMessage } from './message-format.js';
import type { Problem } from './problem.js';
import { quote } from './quoted-text.js';

/** One problem with the values of a record. */
export interface Issue {
  /** The field, then the members inside its value. Empty for a problem of the whole record. */
  readonly path: readonly PropertyKey[];
  /** A text for people, without the field's name. */
  readonly message: string;
  /** The rule that was broken, for translations and for code that branches. */
  readonly code?: string;
  /** The parameters of the rule, such as `{ min: 1 }`. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Options of validation errors. */
export interface ValidationErrorOptions extends DataErrorOptions {
  /** HTTP status of the response, if the server found the issues. */
  status?: number | undefined;
  problem?: Problem | undefined;
  /** A remedy for the developer, which follows the issues in the message. */
  remedy?: string | undefined;
}

/**
 * The model refused the values before sending, or the server did: 422, or 400 or 409 with field errors, or what a dialect reads as such
 * (`invalid`). `issues` has the problems by field.
 *
 * @example
 * ```ts
 * class Person extends Model.define({
 *   fields: { id: 'int', name: { type: 'string', validators: [presence()] } },
 *   proxy: { url: '/people' },
 * }) {}
 * await new Person({ name: '' }).save().catch((error: unknown) => {
 *   if (!(error instanceof ValidationError)) throw error;
 *   for (const { path, message } of error.issues) show(path.join('.'), message); // 'name' 'is required'
 * });
 * ```
 */
export class ValidationError extends DataError {
  override readonly name = 'ValidationError' as const;
  readonly code = 'validation' as const;
  /** The problems, by field. */
  readonly issues: readonly Issue[];
  /** HTTP status of the response; undefined if nothing was sent. */
  readonly status: number | undefined;
  /** The contents of the server's body; undefined if nothing was sent. */
  readonly problem: Problem | undefined;

  constructor(issues: readonly Issue[], options: ValidationErrorOptions = {}) {
    const { status, problem, remedy, messages } = options;
    const said = issueText(issues) || (problem?.detail ?? problem?.title ?? formatMessage('no-reason', {}, messages));
    // The texts of the model are the application's own; those of a server may be of any length.
    const reason = status ? quote(said) : said;
    const detail = remedy ? `${reason}. ${remedy}` : reason;
    super(status ? 'http-validation' : 'validation', { detail }, options);
    this.issues = issues;
    this.status = status;
    this.problem = problem;
  }
}

function issueText(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path.length ? `${path.join('.')} ${message}` : message)).join('; ');
}
