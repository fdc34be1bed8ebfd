/** Whether the platform says that no connection was made: the server has certainly not heard of the request. */
export function isUnsent(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  // Browsers do not tell. Other codes may also end a connection that was made.
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(String(cause?.code ?? code));
}
