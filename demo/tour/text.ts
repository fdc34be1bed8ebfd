/** A text, cut to a number of characters. */
export function shorten(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

/** Decodes percent-encoding; returns texts that cannot be decoded as they are. */
export function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A text on lines of a number of characters, broken after commas where possible; at most `most` lines. */
export function fill(text: string, width: number, most: number = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width && lines.length < most - 1) {
    const comma = rest.lastIndexOf(',', width - 1);
    const end = comma > width / 3 ? comma + 1 : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return rest ? [...lines, shorten(rest, width)] : lines;
}

/** A sentence on lines of a number of characters, broken between words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}
