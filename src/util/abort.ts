/**
 * Aborts `controller`, or any other object with an `abort` method, when `signal` aborts. Returns a function that stops following
 * the signal: a signal that lives long would otherwise keep a listener for every call. Throws `TypeError` if `signal` is not an
 * `AbortSignal`.
 */
export function followSignal(controller: Pick<AbortController, 'abort'>, signal: AbortSignal | undefined): () => void {
  if (!signal) return () => undefined;
  if (typeof signal.addEventListener !== 'function') throw new TypeError('`signal` must be an AbortSignal');
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  return () => signal.removeEventListener('abort', abort);
}
