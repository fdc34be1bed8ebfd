/** A part of a text, and the text in its place. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text with edits. An edit inside of another has no effect; of two for one place the later one counts. */
export function edited(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  const inOrder = [...edits].reverse().sort((one, two) => one.start - two.start || two.end - one.end);
  for (const { start, end, text: other } of inOrder) {
    if (start < done) continue;
    parts.push(text.slice(done, start), other);
    done = end;
  }
  return parts.join('') + text.slice(done);
}
