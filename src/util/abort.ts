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

/**
 * Aborts one call. The code that runs the call is notified through a plain function, because in Node a listener on a signal costs
 * more than a timer and ten promises.
 */
export class CallController extends AbortController {
  /** Called with the reason when the call is aborted. */
  onAbort: ((reason: unknown) => void) | undefined = undefined;

  override abort(reason?: unknown): void {
    super.abort(reason);
    this.onAbort?.(this.signal.reason);
  }
}
