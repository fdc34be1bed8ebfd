/**
 * Handles the rejection of a promise that was given where a value is needed at once. That mistake is reported by itself; a rejection
 * that is handled nowhere would end the process.
 */
export function ignoreRejection(value: unknown): void {
  if (value instanceof Promise) value.catch(() => undefined);
}
