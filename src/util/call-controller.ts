/** Aborts one call, and tells the one who runs it without a listener: in Node, one of a signal costs more than a timer and ten promises. */
export class CallController extends AbortController {
  /** Is told why it was aborted. */
  aborted: ((reason: unknown) => void) | undefined = undefined;

  override abort(reason?: unknown): void {
    super.abort(reason);
    this.aborted?.(this.signal.reason);
  }
}
