/** Headers that differ between requests without changing the answer. */
const UNRELATED = /^(if-none-match|traceparent|tracestate|x-request-id|x-correlation-id)$/;

/**
 * The headers of a request that may change its answer, by name. A cache whose key includes them never gives one user the answer to
 * another one, whatever the header `Vary` of the server says.
 */
export function identifyingHeaders(headers: Headers): [name: string, value: string][] {
  return [...headers].filter(([name]) => !UNRELATED.test(name));
}
