/** A request that went out and what came back. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** The body, parsed if it is JSON, else its text; undefined without one. */
  readonly body: unknown;
  readonly status: number;
  /** Whether the response was a redirect, or came from another address than that of the request. */
  readonly redirected: boolean;
  /** The body of the response. */
  readonly answer: string;
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
      body: body ? parsed(body) : undefined,
      status: response.status,
      redirected: response.redirected || [301, 302, 303, 307, 308].includes(response.status),
      answer: await response.clone().text(),
    });
    return answer(response);
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
