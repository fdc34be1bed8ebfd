/**
 * Whether a status says what the server did with the request: done (2xx), refused (4xx), or redirected undone (307 and 308). After
 * any other status, after 408, and after a status that the platform hides (0), the server may have done the request all the same.
 */
export function isClear(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 408) || isNotDone(status);
}

/** Whether a redirect says that the request was not done and must be repeated unchanged at another address (H17). */
export function isNotDone(status: number): boolean {
  return status === 307 || status === 308;
}
