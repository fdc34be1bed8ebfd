/** How far an answer has come that is read while it arrives. */
export interface StreamProgress {
  /** Bytes of the body that have arrived, decompressed. */
  readonly bytes: number;
  /** Bytes that the body will have, where the server tells. */
  readonly totalBytes?: number;
  /** Rows so far, those that come with this included. */
  readonly records: number;
  /** Size of the whole collection, where it stands before the rows. */
  readonly total?: number;
}
