/** Pages whose words are counted together. */
export interface WordCount {
  readonly name: string;
  readonly words: number;
  readonly pages: number;
  /** The most words that the pages may have. */
  readonly limit?: number | undefined;
  /** Whether the limit is not met yet, so that passing it is no failure. */
  readonly goal: boolean;
}

/** The words of each group of pages, with its limit. */
export function countWords(): WordCount[];

/** The groups that have more words than their limit, and whose limit is held. */
export function tooLong(groups: readonly WordCount[]): WordCount[];
