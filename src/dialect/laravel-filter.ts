import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import { valueText } from '../http/params.js';
import { type Filter, type Operator, operatorOf } from '../operation/query.js';
import { getMember } from '../util/data-path.js';
import type { StepContext } from './dialect.js';
import type { FilterEncoder } from './filter-encoder.js';
import { refusal, sentFilters } from './sent-query.js';
import { serverName } from './steps.js';
import { LARAVEL, LARAVEL_SIGNS, LARAVEL_WORDS } from './value-grammars.js';
import { misreadError, type ProtectText, protectBy, type TextCondition } from './value-rules.js';

/** A kind of filter, named as the function of `AllowedFilter` that declares it; `dynamic` is an operator filter with `FilterOperator::DYNAMIC`. */
export type LaravelFilterKind = 'exact' | 'partial' | 'beginsWithStrict' | 'endsWithStrict' | 'dynamic';

/** The signs before the value, for each operator that a filter of a kind knows. */
const KINDS: Readonly<Record<LaravelFilterKind, Partial<Record<Operator, string>>>> = {
  exact: { eq: '', in: '' },
  partial: { like: '' },
  beginsWithStrict: { startsWith: '' },
  endsWithStrict: { endsWith: '' },
  dynamic: { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' },
};

/** The kinds of filters. */
export const KIND_NAMES: readonly string[] = Object.keys(KINDS);

/** Writes filters for spatie's query builder. `kinds` says how the server declares each filter; the others are exact. */
export function laravelFilter(kinds: Readonly<Record<string, LaravelFilterKind>>): FilterEncoder {
  const protect = protectBy('laravel', LARAVEL);
  const used = new Set<LaravelFilterKind>(['exact', ...Object.values(kinds)]);
  return {
    operators: [...new Set([...used].flatMap((kind) => Object.keys(KINDS[kind])))] as Operator[],
    filter(context) {
      const { request } = context;
      for (const filter of sentFilters(request.operation)) {
        const name = serverName(context, filter.property as string);
        const kind = (getMember(kinds, name) ?? 'exact') as LaravelFilterKind;
        const param = `filter[${name}]`;
        if (request.knownParams?.[param] !== undefined)
          throw refusal(
            context,
            `two filters on '${name}'`,
            `declare a filter for both on the server, or ${FILTER_IN_STORE}`,
          );
        request.collect(param, paramOf(context, protect, filter, name, kind), 'laravel', 'filters');
      }
    },
  };
}

function paramOf(
  context: StepContext,
  protect: ProtectText,
  filter: Filter,
  name: string,
  kind: LaravelFilterKind,
): string {
  const operator = operatorOf(filter) as Operator;
  const operators = KINDS[kind];
  const sign = operators[operator];
  if (sign === undefined)
    throw refusal(
      context,
      `the operator '${operator}' on '${name}'`,
      `use ${Object.keys(operators).join(' or ')}, or declare another filter on the server and in the option \`filters\``,
    );
  const items = operator === 'in' ? [filter.value].flat() : [filter.value];
  const texts = items.map((value) => textOf(context, protect, { operator, property: name }, value, sign));
  if (texts.length === 0) throw refusal(context, `an empty list for '${name}'`, 'leave the filter out');
  return sign + texts.join(',');
}

/** A value as text. Throws `UnsupportedQueryError` for a value that the server would read as something else. */
function textOf(
  context: StepContext,
  protect: ProtectText,
  condition: TextCondition,
  value: unknown,
  sign: string,
): string {
  if (value === null || value === undefined || Array.isArray(value))
    throw refusal(
      context,
      `${Array.isArray(value) ? 'a list' : 'null'} as a value of '${condition.property}'`,
      `leave the filter out, or ${FILTER_IN_STORE}`,
    );
  const { sent } = protect(context, condition, valueText(value, condition.property));
  const rules = [...(typeof value === 'string' ? [LARAVEL_WORDS] : []), ...(sign === '' ? [] : [LARAVEL_SIGNS])];
  for (const { part, would } of rules) {
    const [found] = part.exec(sent) ?? [];
    if (found !== undefined) throw misreadError(context, found, condition, would);
  }
  return sent;
}
