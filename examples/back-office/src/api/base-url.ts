/** The origin of the server. Tests have no page, and a server in memory answers any host. */
export const baseUrl = globalThis.location?.origin ?? 'http://localhost';
