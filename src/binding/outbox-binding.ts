import type { DataError } from '../errors/data-error.js';
import { wrongValue } from '../errors/option-rules.js';
import type { FailedWrite } from '../outbox/outbox-config.js';
import type { OutboxStatus } from '../outbox/outbox-status.js';
import { isObject } from '../util/data-path.js';
import { type Source, ValueSource } from '../util/value-source.js';
import { isSame, reuseMembers } from '../util/values.js';
import { isSameList } from './owned.js';

/** A write that an outbox does not send by itself, as a screen shows it: the user decides about it. Its functions never reject. */
export interface FailedEntry extends FailedWrite {
  /** Why the write waits, in one sentence for the person at the screen. */
  readonly userMessage: string;
  /**
   * Sends the write again. A create whose `state` is `'unconfirmed'` may be done twice by that. Resolves with whether the outbox has taken it
   * up again.
   */
  readonly retry: () => Promise<boolean>;
  /** Gives the write up: its record shows again what the server has, and a new record is erased. Resolves with whether that is done. */
  readonly discard: () => Promise<boolean>;
}

/** An outbox on a screen, at one moment. Frozen. */
export interface OutboxBinding {
  /** Number of writes that wait to be sent by themselves. */
  readonly queued: number;
  /** Number of writes that are being sent. */
  readonly sending: number;
  /** The writes that need a decision, in their order. The same array, and the same entries, until one of them changes. */
  readonly failed: readonly FailedEntry[];
  /** Whether there is a network. */
  readonly online: boolean;
  /** Whether queued writes are held back by `pause()` or `autoStart: false`. */
  readonly paused: boolean;
  /** Why the last attempt or decision failed, or what is wrong with the storage; see `outbox.status`. */
  readonly error: DataError | undefined;
  /** Sends all queued writes now, without waiting. Resolves with whether none is queued any more; never rejects. */
  readonly sendNow: () => Promise<boolean>;
}

/** The members of an outbox that a screen uses. */
export interface ShownOutbox {
  readonly status: Source<OutboxStatus>;
  readonly failed: readonly FailedWrite[];
  on(event: 'change', listener: () => void): () => void;
  retry(write: { readonly key: string }): Promise<void>;
  discard(write: { readonly key: string }): Promise<void>;
  send(): Promise<void>;
}

/** Makes the source of an outbox for a screen. Throws `DefinitionError` for a value that is no outbox. */
export function outboxSource(outbox: ShownOutbox): Source<OutboxBinding> {
  if (!isObject(outbox) || typeof (outbox as Partial<ShownOutbox>).send !== 'function')
    throw wrongValue('What shows an outbox', 'an outbox', outbox);
  /** Why the last decision or attempt of the user was refused, which the status does not tell. */
  let refusal: DataError | undefined;
  const end = async (done: Promise<void>): Promise<boolean> => {
    refusal = undefined;
    try {
      await done;
    } catch (error) {
      refusal = error as DataError;
    }
    source.update();
    return !refusal;
  };
  const shown = (write: FailedWrite, before: FailedEntry | undefined): FailedEntry => {
    if (before && isSameWrite(before, write)) return before;
    return Object.freeze({
      ...write,
      userMessage: write.error.userMessage,
      retry: () => end(outbox.retry(write)),
      discard: () => end(outbox.discard(write)),
    });
  };
  const sendNow = async () => (await end(outbox.send())) && source.get().queued === 0;
  const source: ValueSource<OutboxBinding> = new ValueSource<OutboxBinding>(
    (previous) => {
      const { waiting, sending, online, paused, error = refusal } = outbox.status.get();
      const before = previous?.failed ?? [];
      const failed = outbox.failed.map((write) =>
        shown(
          write,
          before.find(({ key }) => key === write.key),
        ),
      );
      return reuseMembers<OutboxBinding>(previous, {
        // A write that has just been answered still counts as one in flight.
        ...{ queued: Math.max(waiting - sending, 0), sending, online, paused, error, sendNow },
        failed: previous && isSameList(failed, before) ? previous.failed : Object.freeze(failed),
      });
    },
    (isWatched) => {
      for (const stop of stops.splice(0)) stop();
      const update = () => source.update();
      if (isWatched) stops.push(outbox.status.subscribe(update), outbox.on('change', update));
    },
  );
  const stops: (() => void)[] = [];
  return source;
}

/** Whether a write of an outbox is as it was. An error of an earlier process is another object at each look. */
function isSameWrite(a: FailedWrite, b: FailedWrite): boolean {
  const isSameError = a.error === b.error || (a.error.code === b.error.code && a.error.message === b.error.message);
  return isSameError && a.state === b.state && a.record === b.record && isSame(a.entry, b.entry);
}
