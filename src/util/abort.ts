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

type Abortable = Pick<AbortController, 'abort'>;

/** The calls that follow one signal, and the function that removes their shared listener. */
interface Followers {
  readonly members: Set<Abortable>;
  readonly unfollow: () => void;
}

/**
 * Lets any number of calls follow one signal through one shared listener, which is removed when the last call ends. With a listener
 * for each call, Node would warn of a leak at the eleventh call; `AbortSignal.any` on Node 20 keeps memory for each call until the
 * signal itself is freed.
 */
export class SignalHub {
  private readonly followers: WeakMap<AbortSignal, Followers> = new WeakMap();

  /**
   * Aborts `controller` when `signal` aborts. Returns a function that stops this. Throws `TypeError` if `signal` is not an
   * `AbortSignal`.
   */
  follow(controller: Abortable, signal: AbortSignal | undefined): () => void {
    if (!signal || signal.aborted) return followSignal(controller, signal);
    const { members, unfollow } = this.followersOf(signal);
    members.add(controller);
    return () => {
      if (!members.delete(controller) || members.size > 0) return;
      unfollow();
      this.followers.delete(signal);
    };
  }

  private followersOf(signal: AbortSignal): Followers {
    const known = this.followers.get(signal);
    if (known) return known;
    const members = new Set<Abortable>();
    const abort = (reason: unknown) => {
      for (const each of members) each.abort(reason);
    };
    const followers = { members, unfollow: followSignal({ abort }, signal) };
    this.followers.set(signal, followers);
    return followers;
  }
}
