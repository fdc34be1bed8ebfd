import type { Fault, SeenRequest } from './faults.js';

/** A request of the log, which can still change. */
export interface LoggedRequest extends SeenRequest {
  body: string | undefined;
  fault: Fault | undefined;
  reached: boolean;
  status: number | undefined;
  error: unknown;
  /** Resolves when the request is released. */
  readonly released: Promise<void>;
}

/** The log of requests, in the order of the calls. */
export class RequestLog {
  readonly requests: LoggedRequest[] = [];
  private readonly waiting: Map<number, (() => void)[]> = new Map();

  add({ method, url, headers }: Request, body: unknown): LoggedRequest {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const seen: LoggedRequest = {
      number: this.requests.length + 1,
      method,
      url,
      headers,
      body: typeof body === 'string' ? body : undefined,
      fault: undefined,
      reached: false,
      status: undefined,
      error: undefined,
      released,
      release,
    };
    this.requests.push(seen);
    for (const resolve of this.waiting.get(seen.number) ?? []) resolve();
    return seen;
  }

  async waitFor(number: number): Promise<SeenRequest> {
    if (this.requests.length < number) {
      await new Promise<void>((resolve) => {
        this.waiting.set(number, [...(this.waiting.get(number) ?? []), resolve]);
      });
    }
    return this.requests[number - 1] as SeenRequest;
  }

  release(): void {
    for (const seen of this.requests) seen.release();
  }
}
