import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import { valueText } from '../http/params.js';
import { type Filter, type Operator, operatorOf } from '../operation/query.js';
import { isSame } from '../util/values.js';
import type { StepContext } from './dialect.js';
import type { FilterEncoder } from './filter-encoder.js';
import { type FilterForms, type FormName, type ParsedForms, parseForms } from './filter-forms.js';
import { type Blanks, fillForm, hasBlank, type ParamForm, startOf } from './form.js';
import { listItems, refusal, sentFilters } from './sent-query.js';
import { serverName } from './steps.js';

/** A condition in the words of its form: without `between` and null, if these have no forms. */
interface Term {
  readonly form: FormName;
  readonly name: string;
  readonly value: unknown;
}

/** A parameter of a term. */
interface SentParam {
  readonly name: string;
  readonly value: unknown;
  /** Whether conditions on several fields use the same parameter. */
  readonly isShared: boolean;
}

/** The forms whose values are lists. */
const LISTS: readonly FormName[] = ['in', 'nin', 'between'];
const WRITE_STEP = `write a step \`filter\` for a dialect, or ${FILTER_IN_STORE}`;

/** Writes filters by a form for each operator. `reserved` returns the parameters that the rest of the query uses. */
export function formFilter(
  given: FilterForms,
  reserved: (context: StepContext) => readonly (string | null | undefined)[],
): FilterEncoder {
  const forms = parseForms(given);
  return {
    operators: operatorsOf(forms),
    filter(context) {
      const sent = new Map<string, unknown[]>();
      const names = reserved(context);
      for (const filter of sentFilters(context.request.operation)) {
        const params = termsOf(context, forms, filter).flatMap((term) => paramsOf(context, forms, term));
        const twice = params.find(
          ({ name, isShared }) => names.includes(name) || (sent.has(name) && !isShared && !forms.repeat),
        );
        if (twice)
          throw refusal(
            context,
            `two parameters named '${twice.name}'`,
            'join the conditions on the field into one, or rename the parameter of that name on the proxy',
          );
        for (const { name, value } of params) sent.set(name, [...(sent.get(name) ?? []), value]);
      }
      for (const [name, list] of sent)
        context.request.collect(name, list.length > 1 ? list : list[0], 'plain', 'filters');
    },
  };
}

/** The operators that forms can express. */
function operatorsOf({ params, functions, texts }: ParsedForms): readonly Operator[] {
  const known = new Set<FormName>([...params.keys(), ...functions.keys()]);
  if (known.has('ge') && known.has('le')) known.add('between');
  if (known.has('eq') && texts.null !== undefined) known.add('isNull');
  known.delete('notNull');
  return [...known] as Operator[];
}

function hasForm({ params, functions }: ParsedForms, name: FormName): boolean {
  return params.has(name) || functions.has(name);
}

/** A filter in the words of the forms. */
function termsOf(context: StepContext, forms: ParsedForms, filter: Filter): readonly Term[] {
  const { value } = filter;
  const operator = operatorOf(filter) as Operator;
  const name = serverName(context, filter.property as string);
  if (operator === 'isNull') return [nullTerm(context, forms, name, value !== false)];
  if (value === null && (operator === 'eq' || operator === 'ne'))
    return [nullTerm(context, forms, name, operator === 'eq')];
  if (operator !== 'between' || hasForm(forms, 'between')) return [{ form: operator, name, value }];
  const [from, to] = listItems(context, operator, value);
  return [
    { form: 'ge', name, value: from },
    { form: 'le', name, value: to },
  ];
}

/** The condition that a field is null, or is not. */
function nullTerm(context: StepContext, forms: ParsedForms, name: string, isNull: boolean): Term {
  const form = isNull ? 'isNull' : 'notNull';
  if (hasForm(forms, form)) return { form, name, value: isNull };
  if (forms.params.get('isNull')?.some((each) => hasBlank(each.value, 'value')))
    return { form: 'isNull', name, value: isNull };
  const compare = isNull ? 'eq' : 'ne';
  if (forms.texts.null !== undefined && hasForm(forms, compare)) return { form: compare, name, value: null };
  throw refusal(context, `\`${form}\` of '${name}'`, `give \`plain()\` a form for \`${form}\`, ${WRITE_STEP}`);
}

/** The parameters of a term. */
function paramsOf(context: StepContext, forms: ParsedForms, { form, name, value }: Term): readonly SentParam[] {
  const own = forms.functions.get(form);
  if (own) return Object.entries(own(name, value)).map(([key, each]) => ({ name: key, value: each, isShared: false }));
  const params = forms.params.get(form) as readonly ParamForm[];
  const fill = (blanks: Blanks) => params.map((param) => sentParam(context, forms, form, param, { ...blanks, name }));
  if (form !== 'in' && form !== 'nin' && form !== 'between')
    return fill({ value: textOf(context, forms, name, value) });
  const items = listItems(context, form, value).map((each) => textOf(context, forms, name, each));
  if (params.some((each) => hasBlank(each.value, 'value')))
    return items.flatMap((item, index) => fill({ value: item, index: String(index) }));
  if (params.some((each) => breaksList(each.value, forms.separator, items)))
    throw refusal(
      context,
      `the items '${items.join("' and '")}' in one parameter`,
      `send the items one by one with {value}, or ${WRITE_STEP}`,
    );
  return fill({ values: items.join(forms.separator), from: items[0], to: items[1] });
}

function sentParam(
  context: StepContext,
  forms: ParsedForms,
  own: FormName,
  param: ParamForm,
  blanks: Blanks,
): SentParam {
  const name = param.name as string;
  const value = fillForm(param.value, blanks) as string;
  const ownStart = startOf(param.value);
  // Beside `in: '{name}={values}'`, a server would read the text `a,b` as a list.
  const readsLists =
    !LISTS.includes(own) &&
    forms.params
      .get('in')
      ?.some((each) => each.name === name && startOf(each.value) === ownStart && hasBlank(each.value, 'values'));
  if (readsLists && value.includes(forms.separator))
    throw refusal(context, `the value '${value}', which the server would read as a list`, WRITE_STEP);
  // With `{name}=gt:{value}`, a server would read the text `gt:5` as another operator.
  for (const [form, params] of forms.params)
    for (const other of params) {
      const start = startOf(other.value);
      const isLonger = other.name === name && start.length > ownStart.length;
      if (form !== own && isLonger && value.startsWith(fillForm(start, blanks) as string))
        throw refusal(context, `the value '${value}', which the server would read as \`${form}\``, WRITE_STEP);
    }
  return { name: fillForm(name, blanks) as string, value, isShared: !hasBlank(name, 'name') };
}

/** A value as text. */
function textOf(context: StepContext, { texts }: ParsedForms, name: string, value: unknown): string {
  if (typeof value === 'boolean') return texts[`${value}`] ?? String(value);
  if (value === null && texts.null !== undefined) return texts.null;
  if (value === null || Array.isArray(value))
    throw refusal(
      context,
      `${value === null ? 'null' : 'a list'} as a value of '${name}'`,
      `use another operator, or ${FILTER_IN_STORE}`,
    );
  return valueText(value, name);
}

/** Whether a server could not find the items of a list again, because they hold what stands between or behind them. */
function breaksList(form: string, separator: string, items: readonly string[]): boolean {
  const between = hasBlank(form, 'values') ? separator : (/\{from\}([^{}]+)\{to\}/.exec(form)?.[1] ?? '');
  const [, behind = ''] = /([^{}]?)[^{}]*$/.exec(form) ?? [];
  const isFound = between === '' || isSame(items.join(between).split(between), items);
  return !isFound || (behind !== '' && items.some((item) => item.includes(behind)));
}
