import { followSignal } from './abort.js';

type Abortable = Pick<AbortController, 'abort'>;

/** The calls that follow one signal, and what removes their listener. */
interface Followers {
  readonly members: Set<Abortable>;
  readonly unfollow: () => void;
}

/**
 * Lets any number of calls follow one signal through one listener, which is removed with the last of them. A listener for each
 * call would make Node warn of a leak at the eleventh; `AbortSignal.any` keeps memory for each call on Node 20, for as long as
 * the signal lives.
 */
export class SignalHub {
  private readonly followers: WeakMap<AbortSignal, Followers> = new WeakMap();

  /** Aborts a controller when a signal aborts. Returns what ends that. Throws `TypeError` if `signal` is not a signal. */
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
