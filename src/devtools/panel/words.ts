import type { Plain, PlainValues, RecordedAttempt, RecordedOperation } from '../recording.js';
import { isJson, JsonTokens } from '../secrets/json-tokens.js';

/** A time in milliseconds, as people read it. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '?';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** The time of day of a moment. */
export function timeOfDay(ms: number): string {
  if (Number.isNaN(new Date(ms).getTime())) return '?';
  const text = new Date(ms).toTimeString().slice(0, 8);
  return `${text}.${String(Math.floor(ms % 1000)).padStart(3, '0')}`;
}

/** A value in one line. */
export function inLine(value: Plain | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Deepest indent of JSON that is shown. */
const DEEPEST = 40;

/** JSON with line breaks, and with the digits and escapes that were sent; any other text as it is. */
export function readable(text: string): string {
  if (!isJson(text)) return text;
  const parts: string[] = [];
  let depth = 0;
  let isEmpty = false;
  const newLine = () => parts.push(`\n${'  '.repeat(Math.min(depth, DEEPEST))}`);
  const tokens = new JsonTokens(text);
  while (tokens.next()) {
    const { kind, start, end } = tokens;
    if (kind === 'close') {
      depth -= 1;
      if (!isEmpty) newLine();
    } else if (isEmpty) newLine();
    parts.push(text.slice(start, end));
    isEmpty = kind === 'open';
    if (kind === 'open') depth += 1;
    if (kind === 'comma') newLine();
    if (kind === 'colon') parts.push(' ');
  }
  return parts.join('');
}

/** An address with its escapes resolved, to be read. */
export function readableAddress(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The end of an operation in a word or two. */
export function outcomeOf({ state, attempts, error }: RecordedOperation): string {
  const { status } = attempts.at(-1) ?? {};
  if (state === 'running') return 'running';
  if (state === 'refused') return 'not sent';
  if (state === 'aborted') return 'aborted';
  return status === undefined ? (error?.code ?? state) : String(status);
}

/** How one attempt ended. */
export function attemptOutcome({ status, error, duration: took }: RecordedAttempt): string {
  if (took === undefined) return 'running';
  return status === undefined ? (error?.message ?? 'no response') : String(status);
}

/** The query of a store, in words. */
export function queryWords(query: PlainValues): string {
  const { sorters, filters, groupers, search, fields, params, pathParams } = query as Readonly<Record<string, Plain>>;
  const words = [
    list(filters).length > 0 && `filtered by ${list(filters).map(filterWords).join(' and ')}`,
    search && `searched for ‘${inLine(search)}’`,
    list(groupers).length > 0 && `grouped by ${list(groupers).map(sorterWords).join(', ')}`,
    list(sorters).length > 0 && `sorted by ${list(sorters).map(sorterWords).join(', ')}`,
    list(fields).length > 0 && `fields ${list(fields).map(inLine).join(', ')}`,
    params && `parameters ${inLine(params)}`,
    pathParams && `in the address ${inLine(pathParams)}`,
  ].filter(Boolean);
  return words.length > 0 ? words.join('; ') : 'all rows, as the server orders them';
}

function list(value: Plain | undefined): readonly Plain[] {
  return Array.isArray(value) ? value : [];
}

function filterWords(filter: Plain): string {
  const { property, operator = 'eq', value } = (filter ?? {}) as PlainValues;
  return property === undefined ? inLine(filter) : `${inLine(property)} ${inLine(operator)} ${inLine(value)}`;
}

function sorterWords(sorter: Plain): string {
  if (typeof sorter === 'string') return sorter;
  const { property, direction } = (sorter ?? {}) as PlainValues;
  return `${inLine(property)}${direction === 'DESC' ? ', descending' : ''}`;
}
