// The entries of the package for assistants, from the table of docs/README.md.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { tableBelow, withoutLinks } from './markdown.mjs';
import { address, root } from './paths.mjs';

/** A line for each entry: its name, the address of its page below `base`, and what it is for. */
export function entryList(base = `${address}api/`) {
  const index = readFileSync(path.join(root, 'docs/README.md'), 'utf8');
  return tableBelow(index, 'Entries')
    .map(([cell, text]) => {
      const entry = cell.replaceAll('`', '');
      return `- [${entry}](${base}${entry}/index.md): ${withoutLinks(text)}`;
    })
    .join('\n');
}
