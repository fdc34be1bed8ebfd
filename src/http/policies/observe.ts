import { hasErrorBrand } from '../../errors/data-error.js';
import type { Action } from '../../operation/actions.js';
import type { Clock } from '../../util/clock.js';
import { callSafely } from '../../util/event-emitter.js';
import { isPlain } from '../../util/values.js';
import type { Policy } from '../exchange.js';
import { wrongValue } from './options.js';

/** How one attempt of a call ended. Holds no body, no header, no path and no query: ids and tokens travel there. */
export interface OperationEvent {
  /** Name of the model, where there is one. */
  readonly model: string | undefined;
  readonly action: Action;
  /** The HTTP verb. */
  readonly method: string;
  /** Host that it was sent to, with the port where it is not the usual one. */
  readonly host: string;
  /** How often the call was sent by then: 1 for the first attempt. */
  readonly attempt: number;
  /** Status of the answer; undefined where none came. */
  readonly status: number | undefined;
  /** Code of the error that took the place of an answer: `network`, `timeout`, `abort`, … */
  readonly error: string | undefined;
  /** When it was sent, in milliseconds since 1970. */
  readonly startTime: number;
  /** Milliseconds from then to the end of the answer. */
  readonly duration: number;
  /** Milliseconds that it had to wait before: for the rate, for a refresh. Waits between repeats do not count. */
  readonly queueTime: number;
}

/** Hears of calls. */
export interface Observer {
  /** An attempt has ended. What it throws surfaces as an uncaught error and disturbs no call. */
  operation?(event: OperationEvent): void;
}

/** Tells of every attempt. Throws `DefinitionError` where nobody could hear. */
export function observing(observer: Observer, clock: Clock): Policy {
  const { operation } = observer;
  const silent = operation === undefined && isPlain(observer) && Object.keys(observer).length === 0;
  if (typeof operation !== 'function' && !silent) throw wrongValue('observe.operation', 'a function', operation);
  return async (call, next) => {
    const { model, action, method, url, queued: queueTime } = call;
    const startTime = clock.now();
    call.queued = 0;
    const tell = (status: number | undefined, error?: string) => {
      const { host } = new URL(url);
      const duration = clock.now() - startTime;
      const event = {
        model,
        action,
        method,
        host,
        attempt: call.attempt,
        status,
        error,
        startTime,
        duration,
        queueTime,
      };
      callSafely(() => observer.operation?.(Object.freeze(event)));
    };
    try {
      const response = await next(call);
      tell(response.status);
      return response;
    } catch (error) {
      // What else is thrown becomes a `DefinitionError` further up.
      tell(undefined, hasErrorBrand(error) ? error.code : 'definition');
      throw error;
    }
  };
}
