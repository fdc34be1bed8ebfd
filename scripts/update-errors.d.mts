/** The text of docs/errors.md, of the table that `repose/messages` exports. */
export function errorsPage(messages: Readonly<Record<string, string>>): string;
/** A class of errors as its declaration describes it. */
export function errorClass(file: string, name: string): { codes: string[]; when: string; retryable: string };
