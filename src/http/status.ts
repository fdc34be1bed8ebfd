/**
 * Whether a status tells what became of a request: done (2xx), or refused (4xx). After any other, after 408, and after one
 * that the platform hides (0), the server may have done it all the same.
 */
export function isClear(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 408);
}
