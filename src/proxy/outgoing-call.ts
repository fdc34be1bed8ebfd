import type { Call, Receive } from '../extension/call.js';
import type { HeadersConfig } from '../http/headers-config.js';
import type { CallController } from '../util/call-controller.js';
import { showByJson } from '../util/show-by-json.js';
import type { ProxyRequest } from './proxy-request.js';
import type { ServerProxy } from './server-proxy.js';

/** Options of a call, besides its request and its proxy. */
interface OutgoingCallConfig extends Pick<Call, 'url' | 'blob' | 'body' | 'headers' | 'repeatable'> {
  readonly controller: CallController;
}

/** A call in flight, with the controller that aborts it. */
export class OutgoingCall implements Call {
  static {
    showByJson(this.prototype);
  }

  readonly method: string;
  readonly url: string;
  readonly blob: boolean;
  readonly body: string | FormData | undefined;
  readonly controller: CallController;
  readonly signal: AbortSignal;
  headers: HeadersConfig | undefined;
  timeout: number;
  attempt: number = 0;
  repeatable: boolean;
  repeated: boolean = false;
  delivered: boolean = false;
  queueTime: number = 0;
  readonly onHeaders: ((headers: Headers) => void)[] = [];
  receive: Receive | undefined = undefined;
  fetch: typeof globalThis.fetch | undefined = undefined;

  constructor(
    readonly request: ProxyRequest,
    readonly proxy: ServerProxy,
    { url, blob, body, headers, repeatable, controller }: OutgoingCallConfig,
  ) {
    this.method = request.method ?? 'GET';
    this.url = url;
    this.blob = blob;
    this.body = body;
    this.headers = headers;
    this.timeout = proxy.timeout;
    this.repeatable = repeatable;
    this.controller = controller;
    this.signal = controller.signal;
  }

  /** The form of logs for a call. Its headers, its body and the query of its address are left out. */
  toJSON(): object {
    const { method, url, attempt, repeatable, repeated, queueTime } = this;
    return { method, url: url.replace(/\?.*/s, ''), attempt, repeatable, repeated, queueTime };
  }
}
