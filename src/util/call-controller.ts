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
