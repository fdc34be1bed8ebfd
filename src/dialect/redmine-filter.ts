import { FILTER_IN_STORE, type UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { valueText } from '../http/params.js';
import { type Filter, type Operator, operatorOf } from '../operation/query.js';
import type { StepContext } from './dialect.js';
import type { FilterEncoder } from './filter-encoder.js';
import { refusal, sentFilters } from './sent-query.js';
import { serverName } from './steps.js';
import { REDMINE, REDMINE_WORDS } from './value-grammars.js';
import { misreadError, type ProtectText, protectBy } from './value-rules.js';

/** The signs that Redmine expects before the value. */
const SIGNS: Readonly<Partial<Record<Operator, string>>> = {
  eq: '',
  in: '',
  ne: '!',
  nin: '!',
  ge: '>=',
  le: '<=',
  between: '><',
  contains: '~',
  like: '~',
  startsWith: '^',
  endsWith: '$',
  isNull: '!*',
};

/** Writes filters as the API of Redmine wants them: `tracker_id=1|2`, `created_on=>=2026-01-31`, `subject=~text`, `due_date=!*`. */
export function redmineFilter(record: string): FilterEncoder {
  const protect = protectBy('redmine', REDMINE);
  return {
    operators: Object.keys(SIGNS) as Operator[],
    filter(context) {
      const { request } = context;
      for (const filter of sentFilters(request.operation)) {
        const name = paramOf(context, record, filter.property as string);
        if (request.knownParams?.[name] !== undefined)
          throw refusal(
            context,
            `two parameters named '${name}'`,
            'join the conditions on the field into one, or leave the other parameter out',
          );
        request.collect(name, conditionText(context, protect, name, filter), 'redmine', 'filters');
      }
    },
  };
}

/** The parameter of a condition: `tracker.id` is filtered as `tracker_id`, and the id of an issue as `issue_id`. */
function paramOf(context: StepContext, record: string, property: string): string {
  const name = serverName(context, property);
  if (name === 'id' && record === 'issue') return 'issue_id';
  const param = name.replace(/\.id$/, '_id');
  if (param.includes('.'))
    throw refusal(context, `a filter by '${name}'`, `map a field to the id, and filter by that, or ${FILTER_IN_STORE}`);
  return param;
}

function conditionText(context: StepContext, protect: ProtectText, name: string, filter: Filter): string {
  const operator = operatorOf(filter) as Operator;
  const { value } = filter;
  if (operator === 'isNull') return value === false ? '*' : '!*';
  if (value === null && (operator === 'eq' || operator === 'ne')) return operator === 'eq' ? '!*' : '*';
  const values = [value].flat();
  if (values.length === 0 || (operator === 'between' && values.length !== 2))
    throw refuse(context, `the operator '${operator}' with ${values.length} values`);
  const texts = values.map((each) => sentValue(context, protect, name, operator, each));
  const sign = SIGNS[operator] as string;
  if (sign === '~') return sign + phrase(texts[0] as string);
  if (sign !== '' && sign !== '!') return sign + texts.join('|');
  return sign + equalText(context, name, operator, values, texts);
}

/** The values of `eq`, `ne`, `in` and `nin`. */
function equalText(
  context: StepContext,
  name: string,
  operator: Operator,
  values: readonly unknown[],
  texts: readonly string[],
): string {
  const isIssue = name === 'issue_id' || name === 'parent_id';
  const isReference = name.endsWith('_id') && !isIssue;
  // In texts and numbers, Redmine would look for the sign itself.
  if (SIGNS[operator] === '!' && !isReference && !name.startsWith('cf_'))
    throw refuse(context, `\`${operator}\` for '${name}', which is no reference`);
  const isNumbers = isIssue || (!isReference && values.every(isNumber));
  if (!isNumbers) return texts.join('|');
  if (texts.length > 1 && !texts.every((each) => /^-?\d+$/.test(each)))
    throw refuse(context, `several numbers for '${name}', of which Redmine would read the first`);
  return texts.join(',');
}

/** A value as text: instants without milliseconds, flags as 1 and 0. */
function sentValue(
  context: StepContext,
  protect: ProtectText,
  name: string,
  operator: Operator,
  value: unknown,
): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (value === null || Array.isArray(value)) throw refuse(context, `such a value of '${name}'`);
  const condition = { operator, property: name };
  const { sent } = protect(context, condition, valueText(value, name));
  const [word] = /(_id|_on|_date)$/.test(name) ? (REDMINE_WORDS.part.exec(sent) ?? []) : [];
  if (word !== undefined && typeof value === 'string')
    throw misreadError(context, word, condition, REDMINE_WORDS.would);
  return value instanceof Date ? sent.replace(/\.\d+Z$/, 'Z') : sent;
}

/** A text to be found as a whole: without quotes, Redmine would look for each word. */
function phrase(sent: string): string {
  return /\s/.test(sent) ? `"${sent}"` : sent;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function refuse(context: StepContext, what: string): UnsupportedQueryError {
  return refusal(context, what, FILTER_IN_STORE);
}
