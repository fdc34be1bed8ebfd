import { callSafely } from '../util/notifier.js';

/** The codes of errors that a server or a network causes. */
const FROM_OUTSIDE: ReadonlySet<unknown> = new Set(['abort', 'network', 'timeout', 'http', 'auth', 'conflict', 'read']);

/**
 * Reports a mistake of the program, which no screen shows, as an error that nobody has caught. The failure of a request is none, also if the
 * screen that would show it has gone meanwhile.
 */
export function reportMistake(error: unknown): void {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (FROM_OUTSIDE.has(code)) return;
  callSafely(() => {
    throw error;
  });
}
