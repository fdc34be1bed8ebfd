/** A request that went out and what came back. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** The body, parsed if it is JSON; undefined without one. */
  readonly body: unknown;
  readonly status: number;
  /** Whether the answer was a redirect, or came from another address than that of the request. */
  readonly redirected: boolean;
}

/** A `fetch` that records every exchange in `exchanges`; `answer` can change the caller's answer. */
export function recordingFetch(
  exchanges: Exchange[],
  answer: (response: Response) => Response = (response) => response,
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = await request.clone().text();
    const response = await fetch(request);
    const { method, url } = request;
    exchanges.push({
      method,
      url,
      body: body ? JSON.parse(body) : undefined,
      status: response.status,
      redirected: response.redirected || [301, 302, 303, 307, 308].includes(response.status),
    });
    return answer(response);
  };
}
