import { OutboxError } from '../outbox-error.js';
import { FILE_VERSION, isPartialHeader, parseHeader, parseStep } from './file-lines.js';
import type { LogTables } from './log-tables.js';
import { applyWholeChanges, itemsOfWholeWrites, parseWholeChanges } from './whole-writes.js';

/** The result of reading a file. */
export interface FileContents {
  /** The numbers of the lines that cannot be read. */
  readonly brokenLines: readonly number[];
  /** The bytes of a last line that a crash has cut off; 0: there is none. */
  readonly partialBytes: number;
}

/**
 * Reads a file of this version or of version 1 into the tables. A file that is empty or was cut off within its first line has no steps.
 * Throws `OutboxError` for a file of another kind or of a newer version.
 */
export function readLines(path: string, bytes: Uint8Array, tables: LogTables): FileContents {
  const lines = linesOf(bytes);
  const tail = lines.pop() as string;
  const [first] = lines;
  if (first === undefined) {
    if (!isPartialHeader(tail)) throw new OutboxError('outbox-format', { path });
    return { brokenLines: [], partialBytes: 0 };
  }
  const header = parseHeader(first);
  if (!header) throw new OutboxError('outbox-format', { path });
  const { version, last } = header;
  if (version !== FILE_VERSION && version !== 1)
    throw new OutboxError('outbox-version', { what: `'${path}'`, version, known: FILE_VERSION });
  tables.skipTo(last);
  const reader = version === 1 ? readerOfFormat1(tables) : readerOfSteps(tables);
  const brokenLines: number[] = [];
  for (const [at, line] of lines.entries()) {
    if (at > 0 && line !== '' && !reader.read(line)) brokenLines.push(at + 1);
  }
  // A crash may have cut the last line off; if only its line break is missing, the line still counts.
  const isCut = tail !== '' && !reader.read(tail);
  reader.end();
  return {
    brokenLines,
    partialBytes: isCut ? bytes.length - 1 - bytes.lastIndexOf(10) : 0,
  };
}

/** Reads the lines of a file one after the other. */
interface LineReader {
  /** Returns whether the line could be read. */
  read(line: string): boolean;
  end(): void;
}

function readerOfSteps(tables: LogTables): LineReader {
  return {
    read: (line) => {
      const step = parseStep(line);
      if (step) tables.apply(step);
      return step !== undefined;
    },
    end: () => undefined,
  };
}

function readerOfFormat1(tables: LogTables): LineReader {
  const writes: Parameters<typeof applyWholeChanges>[0] = new Map();
  return {
    read: (line) => {
      const changes = parseWholeChanges(line);
      if (changes) applyWholeChanges(writes, changes);
      return changes !== undefined;
    },
    end: () => tables.apply({ items: itemsOfWholeWrites(writes.values(), () => tables.nextKey()) }),
  };
}

/**
 * The lines of a file. A line that is not valid UTF-8 is made unreadable, because decoding would replace characters and the outbox
 * would send values that nobody saved.
 */
function linesOf(bytes: Uint8Array): string[] {
  const strict = new TextDecoder('utf-8', { fatal: true });
  try {
    // Much faster than line by line.
    return strict.decode(bytes).split('\n');
  } catch {
    return linesOfInvalid(bytes, strict);
  }
}

function linesOfInvalid(bytes: Uint8Array, strict: TextDecoder): string[] {
  const lines: string[] = [];
  for (let from = 0; from <= bytes.length; ) {
    const at = bytes.indexOf(10, from);
    const line = bytes.subarray(from, at < 0 ? bytes.length : at);
    try {
      lines.push(strict.decode(line));
    } catch {
      lines.push(`\0${new TextDecoder().decode(line)}`);
    }
    if (at < 0) break;
    from = at + 1;
  }
  return lines;
}
