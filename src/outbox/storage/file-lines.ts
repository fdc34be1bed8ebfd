import { isPlainObject } from '../../util/values.js';
import type { LogStep } from './log-tables.js';
import type { LoggedItem, StoredOutcome } from './outbox-storage.js';

/** The version of the file format. Version 1 held writes that were replaced as a whole. */
export const FILE_VERSION = 2;
const NAME = 'repose-outbox';

/** The first line of a file. */
export interface FileHeader {
  readonly version: unknown;
  /** The last key and place that were given when the file was written anew. */
  readonly last: { readonly key: number; readonly place: number };
}

/** The first line of a file of this version. */
export function headerLine(last: FileHeader['last']): string {
  return JSON.stringify({ [NAME]: FILE_VERSION, last });
}

/** Whether a text is the beginning of a first line, as a crash leaves it while the outbox is created. */
export function isPartialHeader(text: string): boolean {
  return [1, FILE_VERSION].some((version) => {
    const start = `{"${NAME}":${version}`;
    return start.startsWith(text) || text === `${start}}` || text.startsWith(`${start},`);
  });
}

/** The header in a line; undefined: the line is no header. */
export function parseHeader(line: string): FileHeader | undefined {
  const header = parseObject(line) ?? {};
  const version = header[NAME];
  const { key = 0, place = 0 } = (header['last'] ?? {}) as Partial<FileHeader['last']>;
  return version === undefined ? undefined : { version, last: { key, place } };
}

/** The step in a line; undefined: the line is damaged. */
export function parseStep(line: string): LogStep | undefined {
  const step = parseObject(line);
  return step && isStep(step) ? step : undefined;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStep(step: Record<string, unknown>): step is Record<string, unknown> & LogStep {
  const { items = [], progress = [], outcome, identity, prune } = step as LogStep;
  return (
    Object.keys(step).length > 0 &&
    [items, progress].every(Array.isArray) &&
    items.every((item) => isItem(item)) &&
    progress.every((each) => isProgress(each)) &&
    (outcome === undefined || isOutcome(outcome)) &&
    (identity === undefined || areTexts(identity.scope, identity.record, identity.data)) &&
    (prune === undefined || (areTexts(prune.scope) && Number.isInteger(prune.before) && areAllTexts(prune.records)))
  );
}

/** Whether a value is a stored change. */
export function isItem(value: unknown): value is LoggedItem {
  const { scope, record, data } = (value ?? {}) as Partial<LoggedItem>;
  return areTexts(scope, record, data) && isProgress(value);
}

/** Whether a value is a stored outcome. */
export function isOutcome(value: unknown): value is StoredOutcome {
  const { place, scope, record, keys, type, data } = (value ?? {}) as Partial<StoredOutcome>;
  return (
    Number.isInteger(place) &&
    Array.isArray(keys) &&
    keys.every(Number.isInteger) &&
    areTexts(scope, record, type, data)
  );
}

function isProgress(value: unknown): boolean {
  const { key, progress = '' } = (value ?? {}) as Partial<LoggedItem>;
  return Number.isInteger(key) && areTexts(progress);
}

function areTexts(...values: readonly unknown[]): boolean {
  return areAllTexts(values);
}

function areAllTexts(values: readonly unknown[]): boolean {
  return Array.isArray(values) && values.every((each) => typeof each === 'string');
}
