/**
 * Whether a status tells what became of a request: done (2xx), or refused (4xx). After any other, and after 408, the server may
 * have done it all the same.
 */
export function isClear(status: number): boolean {
  return status < 300 || (status >= 400 && status < 500 && status !== 408);
}
