/** A text cut to so many characters. */
export function shorten(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

/** Percent-encoding undone; as it is where that is no text. */
export function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A text on lines of so many characters, broken after commas where it can be; what is beyond `most` lines is left out. */
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

/** A sentence on lines of so many characters, broken between words. */
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
