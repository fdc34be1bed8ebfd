/**
 * Whether a status tells what became of a request: done (2xx), refused (4xx), or not done here (307 and 308). After any other,
 * after 408, and after one that the platform hides (0), the server may have done it all the same.
 */
export function isClear(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 408) || isNotDone(status);
}

/** Whether a redirect says that the request was not done, and is to be sent as it is to another address (H17). */
export function isNotDone(status: number): boolean {
  return status === 307 || status === 308;
}
