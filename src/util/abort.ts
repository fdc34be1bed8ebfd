/**
 * Aborts a controller, or whatever else can be aborted, when a signal aborts. Returns what ends that: a signal that lives long
 * would keep its listeners.
 */
export function followSignal(controller: Pick<AbortController, 'abort'>, signal: AbortSignal | undefined): () => void {
  if (!signal) return () => undefined;
  if (typeof signal.addEventListener !== 'function') throw new TypeError('`signal` must be an AbortSignal');
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  return () => signal.removeEventListener('abort', abort);
}
