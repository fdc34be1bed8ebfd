/** Pages whose words are counted together. */
export interface WordCount {
  readonly name: string;
  readonly words: number;
  readonly pages: number;
  /** The most words that the pages may have. */
  readonly limit?: number | undefined;
}

/** The words of each group of pages, with its limit. */
export function countWords(): WordCount[];

/** The groups that have more words than their limit. */
export function tooLong(groups: readonly WordCount[]): WordCount[];
