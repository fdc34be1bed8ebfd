/** A row of the test server. */
export type Row = Record<string, unknown> & { id?: number };
