/** The pages that have words, without their ending. */
export const pagesWithWords: readonly string[];
