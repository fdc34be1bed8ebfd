import { inDevelopment } from '../dev/checks.js';
import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import { valueText } from '../http/params.js';
import { operatorOf } from '../operation/query-parts.js';
import { serverName } from './define-dialect.js';
import type { StepContext } from './dialect.js';
import type { FilterEncoder } from './filter-tree.js';
import { refusal, refuseFilterParam, sentFilters, stepRemedy } from './sent-query.js';

/** The filters of a server of which nothing else is known: `status=open`, and a list as a repeated parameter. */
export const equalFilter: FilterEncoder = {
  operators: ['eq', 'in'],
  filter(context, reserved = []) {
    inDevelopment(refuseFilterParam, context);
    if (!context.request.operation.filters) return;
    const sent = new Map<string, string | string[] | undefined>();
    for (const filter of sentFilters(context.request.operation)) {
      const { value } = filter;
      const name = serverName(context, filter.property as string);
      if (reserved.includes(name) || sent.has(name)) throw twoParameters(context, name);
      const isList = operatorOf(filter) === 'in';
      if (value === null && !isList) throw noTemplate(context, 'isNull', name);
      const texts = (isList ? [value].flat() : [value]).map((each) => conditionText(context, name, each));
      sent.set(name, texts.length > 1 ? texts : texts[0]);
    }
    for (const [name, value] of sent) context.request.collect(name, value, 'plain', 'filters');
  },
};

/** The value of a condition as text. */
export function conditionText(context: StepContext, property: string, value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  if (value === null || Array.isArray(value))
    throw refusal(
      context,
      `${value === null ? 'null' : 'a list'} as a value of '${property}'`,
      `use another operator, or ${FILTER_IN_STORE}`,
    );
  return valueText(value, property);
}

/** The error of a condition for which the dialect has no form. */
export function noTemplate(context: StepContext, template: string, name: string): Error {
  return refusal(
    context,
    `\`${template}\` of '${name}'`,
    `give \`plain()\` a template for \`${template}\`, ${stepRemedy()}`,
  );
}

/** The error of two parameters of one name, of which a server could lose one. */
export function twoParameters(context: StepContext, name: string): Error {
  return refusal(
    context,
    `two parameters named '${name}'`,
    'join the conditions on the field into one, say with `filter.repeat` or `filter.join` how the server reads several, or rename the parameter of that name on the proxy',
  );
}
