import { toCurl } from '../curl.js';
import type {
  PlainValues,
  ReasonedPart,
  RecordedAttempt,
  RecordedBody,
  RecordedOperation,
  RecordedRecord,
} from '../recording.js';
import { describeOperation } from '../test-file.js';
import { button, type Child, create, facts, section, table } from './dom.js';
import {
  attemptOutcome,
  duration,
  inLine,
  outcomeOf,
  queryWords,
  readable,
  readableAddress,
  timeOfDay,
} from './words.js';

/** Most characters of a body that are shown at once. */
const MOST_SHOWN = 20_000;

const ONLY = {
  beginning: 'Only the beginning was kept',
  form: 'A form with files, as its names and values',
  stream: 'The response was read row by row while it arrived, and was not kept',
  blob: 'The response is a file, and was not kept',
} as const;

/** The parts of the panel that the view of an operation needs. */
export interface OperationActions {
  copy(text: string, what: string): void;
  back(): void;
  readonly withSecrets: boolean;
  readonly secrets: readonly string[];
  isOpen(section: string, byDefault: boolean): boolean;
}

/** The details of one operation. */
export function operationView(operation: RecordedOperation, actions: OperationActions): Node[] {
  const { error, attempts, parts, query, records, moreRecords, outbox, rows, total } = operation;
  const last = attempts.at(-1);
  const { withSecrets, secrets } = actions;
  const open = (title: string, byDefault = true) => actions.isOpen(title, byDefault);
  const copyCurl = () => actions.copy(toCurl(operation, { withSecrets, secrets }) ?? '', 'The command');
  return [
    create(
      'div',
      { class: 'actions' },
      button('Back to the list', actions.back, { class: 'back' }),
      last !== undefined && button('Copy as curl', copyCurl),
    ),
    create('h2', {}, heading(operation)),
    create('p', { class: 'under' }, subline(operation)),
    error && create('p', { class: 'problem', role: 'note' }, [error.message, ...(error.issues ?? [])].join('\n')),
    section(
      'Request',
      open('Request'),
      last && create('p', { class: 'sent' }, create('b', {}, last.method), ` ${readableAddress(last.url)}`),
      !last && create('p', { class: 'under' }, 'Nothing was sent.'),
      query && Object.keys(query).length > 0 && facts([['Asked for', queryOf(query as PlainValues)]]),
      parts.length > 0 &&
        table(
          'Parts of the request',
          ['Part', 'Why', 'Option'],
          partsOf(operation).map(({ place, text, reason, option }) => [
            place === 'address' ? readableAddress(shortened(text)) : shortened(text),
            reason,
            create('code', {}, option),
          ]),
        ),
      last?.body && bodyView('Body of the request', last.body),
    ),
    last?.responseBody &&
      section(
        'Response',
        open('Response'),
        facts([
          ['Status', String(last.status ?? '')],
          ['Rows', rows === undefined ? '' : String(rows)],
          ['Of', total === undefined ? '' : `${total} in the whole list`],
        ]),
        bodyView('Body of the response', last.responseBody),
        headersView('Headers of the response', last.responseHeaders),
      ),
    records.length > 0 &&
      section(
        `Records (${records.length + moreRecords})`,
        open('Records'),
        ...records.slice(0, 20).map((record) => recordView(record, operation)),
        records.length + moreRecords > 20 &&
          create('p', { class: 'under' }, `${records.length + moreRecords - 20} more are not shown.`),
      ),
    attempts.length > 0 &&
      section(
        attempts.length === 1 ? 'Attempt' : `Attempts (${attempts.length})`,
        open('Attempts', attempts.length > 1),
        table(
          'Attempts',
          ['Sent after', 'Waited', 'Took', 'Outcome'],
          attempts.map((attempt) => [
            duration(attempt.at),
            duration(attempt.waited),
            attempt.duration === undefined ? '' : duration(attempt.duration),
            attemptOutcome(attempt),
          ]),
        ),
        headersView('Headers as they were sent', last?.headers),
      ),
    outbox &&
      create(
        'p',
        { class: 'under' },
        `The outbox then held ${outbox.waiting} waiting writes, and ${outbox.failed} that need a decision.`,
      ),
  ].filter((node) => node instanceof Node);
}

/** The parts of the request, with the headers that were known only when it was sent. */
function partsOf({ parts, attempts }: RecordedOperation): ReasonedPart[] {
  const named = new Set(
    parts.flatMap(({ place, text }) => (place === 'header' ? text.replace(/:.*/s, '').toLowerCase() : [])),
  );
  const { headers = {} } = attempts.at(-1) ?? {};
  const late = Object.entries(headers).filter(([name]) => !named.has(name.toLowerCase()));
  return [
    ...parts.filter(({ text }) => !text.startsWith('(computed)')),
    ...late.map(([name, value]): ReasonedPart => {
      return {
        place: 'header',
        text: `${name}: ${value}`,
        reason: 'Computed when the request was sent',
        option: 'headers',
      };
    }),
  ];
}

function heading(operation: RecordedOperation): string {
  const text = describeOperation(operation);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function subline(operation: RecordedOperation): string {
  const { startedAt, duration: took, attempts } = operation;
  const parts = [timeOfDay(startedAt), took === undefined ? 'running' : duration(took), outcomeOf(operation)];
  if (attempts.length > 1) parts.push(`${attempts.length} attempts`);
  return parts.join(' · ');
}

function queryOf({ id, page, start, limit, link, grouper, ...rest }: PlainValues): string {
  if (id !== undefined) return `the record ${inLine(id)}`;
  const place = [
    page !== undefined && `page ${inLine(page)}`,
    start !== undefined && `from row ${inLine(start)}`,
    limit !== undefined && `at most ${inLine(limit)} rows`,
    link !== undefined && `the address ${inLine(link)}`,
  ].filter(Boolean);
  const query = grouper === undefined ? rest : { ...rest, groupers: [grouper] };
  return [queryWords(query), ...place].join('; ');
}

/** A part of a request in a table: long bodies are shown as a whole below. */
function shortened(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}

function bodyView(title: string, { text, length, only }: RecordedBody): HTMLElement {
  const shown = create('pre', { tabindex: '0', role: 'region', 'aria-label': title });
  const whole = readable(text);
  shown.textContent = whole.slice(0, MOST_SHOWN);
  const rest = whole.length - MOST_SHOWN;
  const more: HTMLButtonElement = button(`Show ${rest} more characters`, () => {
    shown.textContent = whole;
    more.remove();
  });
  const note = only === undefined ? undefined : `${ONLY[only]} (${length} characters or bytes).`;
  return create(
    'div',
    {},
    note !== undefined && create('p', { class: 'under' }, note),
    text === '' ? only === undefined && create('p', { class: 'under' }, 'The body is empty.') : shown,
    rest > 0 && more,
  );
}

function headersView(title: string, headers: RecordedAttempt['headers'] = {}): Child {
  const all = Object.entries(headers);
  return all.length > 0 && section(title, false, table(title, ['Header', 'Value'], all));
}

/** The fields of a record before and after; changed ones are marked. */
function recordView(
  { id, before, sent, after, row, isEdited }: RecordedRecord,
  { kind, state }: RecordedOperation,
): HTMLElement {
  const later = after ?? (kind === 'read' ? row : undefined);
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(sent ?? {}), ...Object.keys(later ?? {})])];
  const rows = names.map(
    (name) => [name, inLine(before?.[name]), inLine(sent?.[name]), inLine(later?.[name])] as const,
  );
  const hasSent = sent !== undefined && kind === 'update';
  const cells = rows.map(([name, one, middle, other]) => [name, one, ...(hasSent ? [middle] : []), other]);
  const isChanged = (at: number) => before !== undefined && later !== undefined && rows[at]?.[1] !== rows[at]?.[3];
  const known = before === undefined && kind === 'read' ? ', new here' : '';
  const gone = kind === 'destroy' && state === 'done' ? ', erased' : '';
  return create(
    'div',
    {},
    create(
      'p',
      { class: 'sent' },
      `${id === null ? 'new record' : inLine(id)}${known}${gone}${isEdited ? ', has edits that are not saved' : ''}`,
    ),
    table(`Record ${inLine(id)}`, ['Field', 'Before', ...(hasSent ? ['Sent'] : []), 'After'], cells, (at) =>
      isChanged(at) ? 'changed' : undefined,
    ),
  );
}
