import { checkGiven, checkOptions } from '../dev/checks.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { callable } from '../errors/option-rules.js';
import type { Extension, Send } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Action } from '../operation/actions.js';
import { modelOf } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { Clock } from '../util/clock.js';
import { callSafely } from '../util/notifier.js';
import { isPlainObject } from '../util/values.js';

/** How one attempt of a call ended. It holds no body, header, path or query, because these may contain ids and tokens. */
export interface OperationEvent {
  /** The name of the model, if the operation has one. */
  readonly model: string | undefined;
  readonly action: Action;
  /** The HTTP method. */
  readonly method: string;
  /** The host that the attempt was sent to, with its port unless that is the default one. */
  readonly host: string;
  /** The number of the attempt: 1 for the first. */
  readonly attempt: number;
  /** The status of the response; undefined: no response came. */
  readonly status: number | undefined;
  /** The code of the error if no response came: `network`, `timeout`, `abort`, … */
  readonly error: string | undefined;
  /** When the attempt was sent, in milliseconds since 1970. */
  readonly startTime: number;
  /** Milliseconds from `startTime` to the end of the response. */
  readonly duration: number;
  /** Milliseconds for which `rateLimit()` and `auth()` held the attempt back. The waits of `retry()` do not count. */
  readonly queueTime: number;
}

/** Options of {@link telemetry}. */
export interface TelemetryConfig {
  /**
   * Called when an attempt has ended. An error that it throws is reported as an uncaught error and does not affect the call.
   *
   * @example
   * ```ts
   * const timings = telemetry({
   *   operation({ model, action, status, error, duration }) {
   *     performance.mark(`${action} ${model}`, { detail: { outcome: status ?? error, duration } });
   *   },
   * });
   * ```
   */
  operation(event: OperationEvent): void;
}

/**
 * Reports every attempt to send a call: model, action, status and times, without bodies, headers or addresses. Throws
 * `DefinitionError` if `operation` is not a function.
 *
 * @example
 * ```ts
 * const timings = telemetry({ operation: ({ model, duration }) => console.log(model, duration) });
 * class ApiModel extends Model.with({ proxy: { use: [timings] } }) {}
 * ```
 */
export function telemetry(config: TelemetryConfig): Extension {
  if (isPlainObject(config)) checkOptions('telemetry', config, { operation: callable });
  // Only a plain object is checked for unknown names: an instance of a class may have further members.
  checkGiven('telemetry.operation', config?.operation, callable);
  return Object.freeze<Extension>({
    name: 'telemetry',
    layer: LAYERS.telemetry,
    send: (request, next, { clock }) => sendReported(request, next, config, clock),
  });
}

async function sendReported(
  request: ProxyRequest,
  next: Send,
  config: TelemetryConfig,
  clock: Clock,
): Promise<HttpResponse> {
  const { operation, method, target, queueTime } = request;
  const startTime = clock.now();
  request.queueTime = 0;
  const report = (status: number | undefined, error?: string) => {
    const event: OperationEvent = Object.freeze({
      model: modelOf(operation)?.name,
      action: request.action,
      method,
      host: new URL(target).host,
      attempt: operation.attempts,
      status,
      error,
      startTime,
      duration: clock.now() - startTime,
      queueTime,
    });
    callSafely(() => config.operation(event));
  };
  try {
    const response = await next(request);
    report(response.status);
    return response;
  } catch (error) {
    // The proxy turns any other error into a `DefinitionError` later.
    report(undefined, hasErrorBrand(error) ? error.code : 'definition');
    throw error;
  }
}
