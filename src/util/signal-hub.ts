import { followSignal } from './abort.js';

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
