/** Whether the platform's error says that no connection was made, so that the server cannot have received the request. */
export function neverConnected(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown; message?: unknown } };
  // Browsers give no such code. Codes that are not listed can also end a connection that was already made. `unknown scheme` and `bad port` are addresses that `fetch` refuses.
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|unknown scheme|bad port)$/.test(
    String(cause?.code ?? code ?? cause?.message),
  );
}
