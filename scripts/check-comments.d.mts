/** The comments of one file that open with a refused word, as `file:line: text`. */
export function refusedComments(file: string, text: string): string[];
