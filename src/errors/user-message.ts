import { getMember } from '../util/data-path.js';
import { nameInWords } from '../util/name-in-words.js';
import { fillIn, type MessageParams, type Messages } from './message-format.js';
import type { Problem } from './problem.js';
import { quote } from './quoted-text.js';
import type { Issue } from './validation-error.js';

/** Sentences for the person at the screen. */
export const userMessages = {
  'user-network': 'The server cannot be reached.',
  'user-network-write': 'The server cannot be reached. Your changes are kept.',
  'user-queued': 'The server cannot be reached. Your changes are kept, and will be sent.',
  'user-queued-sign-in': 'Please sign in again. Your changes are kept, and will be sent.',
  'user-unconfirmed': 'No response came. It is not known yet whether this was saved.',
  'user-timeout': 'The server takes too long to answer.',
  'user-timeout-write': 'The server takes too long to answer. Your changes are kept.',
  'user-abort': 'This was cancelled.',
  'user-sign-in': 'Please sign in again.',
  'user-forbidden': 'You are not allowed to do this.',
  'user-missing': 'This is not there any more.',
  'user-later': 'The server cannot do this now. Please try again later.',
  'user-server': 'The server could not do this.',
  'user-conflict': 'Somebody else has changed this in the meantime.',
  'user-validation': 'Some entries are not valid. Please check them.',
  'user-validation-more': 'And {count} more to check.',
  'user-parent': 'This was not saved, because an entry that it belongs to was not.',
  'user-others': 'This was not saved, because of another entry.',
  'user-some': 'Some of the entries could not be changed.',
  'user-not-undone': 'Another entry could not be saved. It is not certain whether this one is as it was before.',
  'user-store': 'Your changes could not be stored on this device.',
  'user-mistake': 'Something is wrong with this application. Please tell those who look after it.',
} as const;

type UserMessageKey = keyof typeof userMessages;

/** A field as sentences name it. */
export interface NamedField {
  readonly name: string;
  readonly label?: string | undefined;
  readonly embedding?: { readonly fields: readonly NamedField[] } | undefined;
}

/** Codes of errors whose sentence has another name. */
const NAME_OF_CODE: Readonly<Record<string, string>> = {
  http: 'server',
  read: 'server',
  auth: 'forbidden',
  dependency: 'parent',
  skipped: 'others',
  undone: 'others',
  batch: 'some',
  'outbox-refused': 'server',
  'outbox-unconfirmed': 'unconfirmed',
  'outbox-parent': 'parent',
  'outbox-storage': 'store',
  'outbox-quota': 'store',
};

/** The members of errors that decide what a user is told. */
interface ToldError {
  readonly code: string;
  readonly reason?: string | undefined;
  readonly retryable: boolean;
  readonly queued?: boolean;
  readonly unconfirmed?: boolean;
  readonly status?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly body?: unknown;
  readonly issues?: readonly Issue[];
  readonly operation?: { readonly action: string };
  /** The errors of the records of a batch. */
  readonly errors?: readonly { readonly userMessage: string }[];
  readonly params?: MessageParams;
}

/**
 * A short text about an error for the person at the screen: that of the server, where it refused the values or the request in words for
 * people, or else the sentence for the error's code; and what is wrong with the first of the fields that were refused. `table` replaces
 * sentences by their keys. `fields` are those of the model, whose labels name them.
 */
export function userMessageOf(
  error: ToldError,
  table: Messages | undefined,
  fields: readonly NamedField[] | undefined,
): string {
  const said = saidByServer(error);
  const ofFields = error.code === 'validation' ? aboutFields(error, said, table, fields) : undefined;
  if (ofFields) return ofFields;
  if (said) return quote(said);
  const key = keyFor(error);
  const sentence = fillIn(getMember(table, key) ?? userMessages[key], { status: error.status });
  const { errors: [first, ...others] = [], params } = error;
  if (!first) return sentence;
  // If nothing at all was changed, the first error says enough.
  return others.length + 1 === params?.['total'] ? first.userMessage : `${sentence} ${first.userMessage}`;
}

/** The text of a refusal. Those of failures (5xx) are about the server, and are not for its users. */
function saidByServer({ code, status = 0, problem, body, issues = [] }: ToldError): string | undefined {
  if (code === 'validation') {
    const whole = issues.filter(({ path }) => path.length === 0).map(({ message }) => message);
    return whole.join(' ') || (status > 0 ? problem?.detail : undefined);
  }
  const isRefusal = status >= 400 && status < 500 && (code === 'http' || code === 'conflict' || status === 403);
  // The title of a page of HTML, such as "Error", is no sentence for people.
  const isPage = typeof body === 'string' && /^\s*</.test(body);
  return isRefusal ? (problem?.detail ?? (isPage ? undefined : problem?.title)) : undefined;
}

/** The problem of the first field that was refused, and the number of other fields; undefined if no field is named. */
function aboutFields(
  { issues = [], problem }: ToldError,
  said: string | undefined,
  table: Messages | undefined,
  fields: readonly NamedField[] | undefined,
): string | undefined {
  const ofFields = issues.filter(({ path }) => path.length > 0);
  // A server may mark a field without a word about it.
  const first = ofFields.find(({ message }) => message.trim() !== '');
  if (!first) return undefined;
  const given = getMember(table, 'user-validation');
  // A text about one field alone names neither the field nor the others.
  const whole = said === first.message ? undefined : said;
  const lead = whole ?? (given === undefined ? undefined : fillIn(given, {}));
  // Some servers quote the first problem in their own sentence, and count the others there.
  if (lead?.includes(first.message)) return quote(lead);
  const count = new Set(ofFields.map(({ path }) => path.join('.'))).size - 1 + (problem?.omitted ?? 0);
  const texts = [lead && asSentence(lead), quote(fieldSentence(first, fields))];
  // An application in another language may not have this sentence yet.
  const more = getMember(table, 'user-validation-more') ?? (given ? undefined : userMessages['user-validation-more']);
  if (count > 0 && more) texts.push(fillIn(more, { count }));
  return texts.filter(Boolean).join(' ');
}

/** A problem of a field as a sentence: 'Name is required.', 'Lines 2: Amount must be at least 1.' */
function fieldSentence({ path, message }: Issue, fields: readonly NamedField[] | undefined): string {
  const labels = labelsOf(path, fields);
  const label = labels.pop() ?? '';
  // Texts of servers may be whole sentences, which name the field themselves.
  const isNamed = inPlainWords(message).includes(inPlainWords(label));
  const text = /^\p{Ll}/u.test(message) ? `${label} ${message}` : `${label}: ${message}`;
  return asSentence([...labels, isNamed ? message : text].join(': '));
}

/** The names of the fields on a path, for people. The place of an item, which people count from 1, follows the name of its list. */
function labelsOf(path: Issue['path'], fields: readonly NamedField[] = []): string[] {
  const labels: string[] = [];
  let known = fields;
  for (const each of path) {
    const name = String(each);
    const field = known.find((one) => one.name === name);
    if (/^\d+$/.test(name) && labels.length > 0) labels.push(`${labels.pop()} ${Number(name) + 1}`);
    else labels.push(field?.label ?? nameInWords(name));
    known = field ? (field.embedding?.fields ?? []) : known;
  }
  return labels;
}

/** A text for comparisons: its words in lower case, each between blanks. */
function inPlainWords(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…。]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** The key of the sentence about an error: the first name that has one. Codes without a sentence tell mistakes in the application. */
function keyFor({ code, reason, status, retryable, queued, unconfirmed, operation }: ToldError): UserMessageKey {
  // A renewal that got no response says nothing about the sign-in.
  const needsSignIn = status === 401 && !(retryable && reason === 'refresh');
  const names = [
    queued && needsSignIn && 'queued-sign-in',
    queued && 'queued',
    unconfirmed && code !== 'abort' && 'unconfirmed',
    needsSignIn && 'sign-in',
    code === 'http' && (status === 404 || status === 410) && 'missing',
    (status === 401 || (code === 'http' && retryable)) && 'later',
    operation && operation.action !== 'read' && `${code}-write`,
    getMember(NAME_OF_CODE, code) ?? code,
    'mistake',
  ];
  const keys = names.map((name) => `user-${name}`);
  return keys.find((key) => Object.hasOwn(userMessages, key)) as UserMessageKey;
}
