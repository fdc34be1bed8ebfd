/** How much of a response has arrived, while it is read row by row. */
export interface StreamProgress {
  /** Bytes of the body that have arrived, decompressed. */
  readonly bytes: number;
  /** Size of the whole body in bytes, if the server says. */
  readonly totalBytes?: number;
  /** Number of rows so far, including those of this call. */
  readonly records: number;
  /** Number of rows in the whole collection, if the body says so before the rows. */
  readonly total?: number;
}
