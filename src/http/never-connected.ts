/** Whether the platform says that no connection was made: the server has certainly not heard of the request. */
export function neverConnected(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown; message?: unknown } };
  // Browsers do not tell. Other codes may also end a connection that was made; an address that is not for `fetch` has none.
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|unknown scheme|bad port)$/.test(
    String(cause?.code ?? code ?? cause?.message),
  );
}
