/** The files of src/ that may write the state of a record. */
export const WRITERS: readonly string[];

/** Checks the sources of src/, as pairs of file and text. Returns a problem for each place that writes where it may not. */
export function checkWriters(
  sources: Iterable<readonly [file: string, text: string]>,
  allowed?: readonly string[],
): string[];

/** The lines of a file in which it writes the state of a record. */
export function writesIn(file: string, text: string): number[];
