import { checkOptions } from '../dev/checks.js';
import { flag, object, type Rule, type Rules, rulesOf, string, text, wrongValue } from '../errors/option-rules.js';
import type { Operator } from '../operation/query.js';
import { hasBlank, type ParamForm, parseForm } from './form.js';
import { type ProtectText, protectBy, VALUE_RULES, type ValueRules } from './value-rules.js';

/**
 * How `plain()` writes the conditions of one operator: `{name}` is the server's name of the field, `{value}` the value as text. A form
 * without `=` is the name of the parameter whose value is `{value}`: `'{name}__gte'`. A function returns the parameters instead.
 */
export type FilterForm = string | ((name: string, value: unknown) => Readonly<Record<string, unknown>>);

/** Texts for values that servers write in different ways. */
export interface ValueTexts {
  /** The text of true. @default 'true' */
  true?: string;
  /** The text of false. @default 'false' */
  false?: string;
  /** The text of null. Without it, only the forms `isNull` and `notNull` express null. @default none: null is refused */
  null?: string;
}

/**
 * How `plain()` writes filters: a form for each operator that the server knows. Filters with other operators are refused, since most
 * servers ignore what they do not know. Write each form as the documentation of the server does.
 *
 * In lists, `{value}` repeats the parameter for each item, with its number in `{index}`; `{values}` joins the items.
 */
export interface FilterForms extends ValueRules {
  /** Equal: `'{name}'`, `'filter[{name}]'`, `'{name}=eq.{value}'`. */
  eq?: FilterForm;
  /** Not equal: `'{name}_ne'`. */
  ne?: FilterForm;
  /** Less or equal: `'{name}__lte'`. */
  le?: FilterForm;
  /** Less: `'{name}[lt]'`. */
  lt?: FilterForm;
  /** Greater or equal: `'{name}__gte'`, `'filters[{name}][$gte]'`, `'{name}=ge:{value}'`. */
  ge?: FilterForm;
  /** Greater: `'{name}[gt]'`. */
  gt?: FilterForm;
  /** One of a list: `'{name}'` and `'{name}[]'` repeat the parameter, `'{name}__in={values}'` joins, `'{name}[$in][{index}]'` counts. */
  in?: FilterForm;
  /** None of a list; as `in`. */
  nin?: FilterForm;
  /** From the first to the second item of a list: `'{name}__range={from},{to}'`. @default the forms `ge` and `le` together */
  between?: FilterForm;
  /** Contains a text. */
  contains?: FilterForm;
  /** Starts with a text. */
  startsWith?: FilterForm;
  /** Ends with a text. */
  endsWith?: FilterForm;
  /** Contains a text, in upper or lower case. */
  like?: FilterForm;
  /** Is null, also for `eq` with null: `'{name}=is.null'`. With `{value}` it also says the opposite: `'{name}__isnull={value}'`. */
  isNull?: FilterForm;
  /** Is not null, also for `ne` with null: `'{name}=not.is.null'`. */
  notNull?: FilterForm;
  /** The member is there, also if it is null: `'{name}=exists'`. With `{value}` it also says the opposite: `'{name}[exists]={value}'`. */
  exists?: FilterForm;
  /** Texts of true, false and null. @default { true: 'true', false: 'false' } */
  values?: ValueTexts;
  /** The text between the items of `{values}`; an item that contains it is refused. @default ',' */
  separator?: string;
  /** Whether the server applies all conditions on one field that have the same parameter. @default false: a second one is refused */
  repeat?: boolean;
  /**
   * The text between two conditions in one parameter: with `'{name}=ge:{value}'`, `'{name}=le:{value}'` and `','`, both ends of a range are
   * `age=ge:18,le:30`. A value that holds this text is refused. @default none: a second condition is refused, unless `repeat` is true
   */
  join?: string;
}

/** The name of a form. */
export type FormName = Operator | 'notNull';

/** The forms of `plain()`, parsed. */
export interface ParsedForms {
  readonly params: ReadonlyMap<FormName, readonly ParamForm[]>;
  readonly functions: ReadonlyMap<FormName, Exclude<FilterForm, string>>;
  readonly texts: ValueTexts;
  readonly separator: string;
  readonly repeat: boolean;
  readonly join: string | undefined;
  readonly protect: ProtectText;
}

/** The operators that look for a text in another. */
export const TEXT_OPERATORS: readonly string[] = ['contains', 'startsWith', 'endsWith', 'like'];

const form: Rule = {
  expected: "a form such as '{name}__gte' or '{name}=gte:{value}', or a function that returns parameters",
  holds: (value) => typeof value === 'function' || text.holds(value),
};
const RULES: Rules<FilterForms> = /* @__PURE__ */ rulesOf(VALUE_RULES, {
  ...{ eq: form, ne: form, le: form, lt: form, ge: form, gt: form, in: form, nin: form, between: form },
  ...{ contains: form, startsWith: form, endsWith: form, like: form, isNull: form, notNull: form, exists: form },
  values: object,
  separator: text,
  repeat: flag,
  join: text,
});
const TEXT_RULES: Rules<ValueTexts> = { true: string, false: string, null: string };

/** Checks and parses the option `filter` of `plain()`. Throws `DefinitionError`. */
export function parseForms(forms: FilterForms): ParsedForms {
  checkOptions('plain.filter', forms, RULES);
  const { values: texts = {}, separator = ',', repeat = false, join, escape: escapes, refuse, ...given } = forms;
  checkOptions('plain.filter.values', texts, TEXT_RULES);
  if (repeat && join !== undefined)
    throw wrongValue('`plain.filter.join`', 'left out beside `repeat`: a server reads one or the other', join);
  const params = new Map<FormName, readonly ParamForm[]>();
  const functions = new Map<FormName, Exclude<FilterForm, string>>();
  for (const [name, each] of Object.entries(given) as [FormName, FilterForm | undefined][]) {
    if (typeof each === 'function') functions.set(name, each);
    else if (each !== undefined) params.set(name, parseFilter(name, each));
  }
  const protect = protectBy('plain.filter', { ...(escapes && { escape: escapes }), ...(refuse && { refuse }) });
  return { params, functions, texts, separator, repeat, join, protect };
}

/** Blanks for values, by the operators that have lists. */
const LIST_BLANKS: Readonly<Record<string, readonly string[]>> = {
  in: ['value', 'values', 'index'],
  nin: ['value', 'values', 'index'],
  between: ['value', 'values', 'index', 'from', 'to'],
};

function parseFilter(operator: FormName, form: string): readonly ParamForm[] {
  const blanks = LIST_BLANKS[operator] ?? ['value'];
  const params = parseForm(form, `plain.filter.${operator}`, ['name', ...blanks], 'name');
  return params.map(({ name, value }) => {
    // Without `=`, the form is a name.
    if (name === undefined) return { name: value, value: '{value}' };
    const isTest = operator === 'isNull' || operator === 'notNull' || operator === 'exists';
    if (!isTest && !blanks.some((blank) => hasBlank(form, blank)))
      throw wrongValue(
        `\`plain.filter.${operator}\``,
        `a form with ${blanks.map((each) => `{${each}}`).join(' or ')}`,
        form,
      );
    return { name, value };
  });
}
