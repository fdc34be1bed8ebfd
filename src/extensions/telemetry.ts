import { hasErrorBrand } from '../errors/data-error.js';
import { callable, checkGiven, checkOptions } from '../errors/option-rules.js';
import type { Call, Send } from '../extension/call.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Action } from '../operation/actions.js';
import { modelOf } from '../operation/operation-record.js';
import { callSafely } from '../util/event-emitter.js';
import { isPlainObject } from '../util/values.js';

/** How one attempt of a call ended. Holds no body, no header, no path and no query, because ids and tokens travel there. */
export interface OperationEvent {
  /** Name of the model, where there is one. */
  readonly model: string | undefined;
  readonly action: Action;
  /** The HTTP verb. */
  readonly method: string;
  /** Host that the attempt was sent to, with the port where it is not the usual one. */
  readonly host: string;
  /** How often the call was sent by then: 1 for the first attempt. */
  readonly attempt: number;
  /** Status of the answer; undefined where none came. */
  readonly status: number | undefined;
  /** Code of the error that came instead of an answer: `network`, `timeout`, `abort`, … */
  readonly error: string | undefined;
  /** When the attempt was sent, in milliseconds since 1970. */
  readonly startTime: number;
  /** Milliseconds from then to the end of the answer. */
  readonly duration: number;
  /** Milliseconds that the attempt had to wait before: for the rate, or for a new sign-in. Waits between repeats do not count. */
  readonly queueTime: number;
}

/** The receiver of the events of calls. */
export interface TelemetryConfig {
  /** Called when an attempt has ended. What it throws surfaces as an uncaught error and disturbs no call. */
  operation(event: OperationEvent): void;
}

/**
 * Reports every attempt to send a call: model, action, status and times, without bodies, headers and addresses. Throws
 * `DefinitionError` where `operation` is no function.
 *
 * @example
 * ```ts
 * const timings = telemetry({ operation: ({ model, duration }) => console.log(model, duration) });
 * class ApiModel extends Model.with({ proxy: { use: [timings] } }) {}
 * ```
 */
export function telemetry(config: TelemetryConfig): Extension {
  if (isPlainObject(config)) checkOptions('telemetry', config, { operation: callable });
  // An instance of a class may have more members.
  checkGiven('telemetry.operation', config?.operation, callable);
  return Object.freeze<Extension>({
    name: 'telemetry',
    layer: LAYERS.telemetry,
    send: (call, next) => sendReported(call, next, config),
  });
}

async function sendReported(call: Call, next: Send, config: TelemetryConfig): Promise<HttpResponse> {
  const { request, proxy, method, url, queueTime } = call;
  const { clock } = proxy;
  const startTime = clock.now();
  call.queueTime = 0;
  const report = (status: number | undefined, error?: string) => {
    const event: OperationEvent = Object.freeze({
      model: modelOf(request.operation)?.name,
      action: request.action,
      method,
      host: new URL(url).host,
      attempt: call.attempt,
      status,
      error,
      startTime,
      duration: clock.now() - startTime,
      queueTime,
    });
    callSafely(() => config.operation(event));
  };
  try {
    const response = await next(call);
    report(response.status);
    return response;
  } catch (error) {
    // Anything else that is thrown becomes a `DefinitionError` later on.
    report(undefined, hasErrorBrand(error) ? error.code : 'definition');
    throw error;
  }
}
