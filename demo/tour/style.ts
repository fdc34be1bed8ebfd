/** Colours of texts in a terminal, by meaning. */
export interface Style {
  title(text: string): string;
  code(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  dim(text: string): string;
}

/** The colours, or functions that return texts unchanged. */
export function createStyle(colour: boolean): Style {
  const sgr = (on: number, off: number) => (text: string) => (colour ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return { title: sgr(1, 22), code: sgr(36, 39), good: sgr(32, 39), bad: sgr(31, 39), dim: sgr(2, 22) };
}
