import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

/** A fenced block of code. */
export interface Block {
  /** The language behind the fence: `ts`. */
  readonly language: string;
  /** Line of the file on which the code begins, from 1. */
  readonly line: number;
  readonly code: string;
  /** The lines that a program prints, from the block of `text` that follows it. Undefined for code that is not a program. */
  prints?: readonly string[];
}

/** A Markdown file of the project. */
export interface Page {
  /** Path in the project: `docs/reference/stores.md`. */
  readonly file: string;
  readonly text: string;
}

/** Every text of the project that people read. */
export function readPages(): Page[] {
  const top = readdirSync(root).filter((name) => name.endsWith('.md'));
  const inner = ['docs', 'skills'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  );
  return [...top, ...inner].sort().map(readPage);
}

export function readPage(file: string): Page {
  return { file, text: readFileSync(path.join(root, file), 'utf8') };
}

/** The fenced blocks of a text. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { language: string; line: number; lines: string[] } | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    const fence = /^\s*```(\S*)/.exec(line);
    if (!fence) open?.lines.push(line);
    else if (!open) open = { language: fence[1] ?? '', line: at + 2, lines: [] };
    else {
      const program = open.language === 'text' ? blocks.at(-1) : undefined;
      if (program?.language === 'ts') program.prints = open.lines;
      blocks.push({ language: open.language, line: open.line, code: open.lines.join('\n') });
      open = undefined;
    }
  }
  if (open) throw new Error(`a block of code that begins on line ${open.line} has no end`);
  return blocks;
}

/** The text without its blocks of code; lines keep their numbers. */
export function proseOf(text: string): string {
  let code = false;
  return text
    .split('\n')
    .map((line) => {
      const fence = /^\s*```/.test(line);
      if (fence) code = !code;
      return code || fence ? '' : line;
    })
    .join('\n');
}

/** The rows of the first table below a heading or marker, cells without their backticks. */
export function tableBelow(text: string, marker: string): string[][] {
  const from = text.indexOf(marker);
  if (from < 0) throw new Error(`there is no '${marker}'`);
  const lines = text.slice(from + marker.length).split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const rows = lines.slice(first);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(2, end < 0 ? undefined : end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

/**
 * A guide up to the end of its first program, which readers paste as it is: a block of `ts` that a block of `text` follows.
 * Throws when the first code of the page is no such program.
 */
export function programOf({ file, text }: Page): Page {
  const [first] = blocksOf(text).filter(({ language }) => language === 'ts');
  if (!first?.prints) throw new Error(`${file}: the first code is no program with a block of text below it`);
  const lines = text.split('\n');
  const end = first.line + first.code.split('\n').length + first.prints.length + 4;
  return { file: `${file} (program)`, text: lines.slice(0, end).join('\n') };
}
