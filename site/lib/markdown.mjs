// Reading of Markdown that the parts of the site share.

/** The anchor that code hosts give a heading: lower case, without punctuation, dashes for blanks. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Gives each line that is not code to `change`, and returns the text with what it returned. */
export function mapProse(text, change) {
  let code = false;
  return text
    .split('\n')
    .map((line) => {
      const fence = /^\s*```/.test(line);
      if (fence) code = !code;
      return code || fence ? line : change(line);
    })
    .join('\n');
}

/** The heading of a page, without its marks. */
export function titleOf(text) {
  return (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');
}

/** The rows of the first table below a heading: lists of cells. */
export function tableBelow(text, heading) {
  const section = text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

/** A cell of a table whose links are words only. */
export function withoutLinks(cell) {
  return cell.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}
