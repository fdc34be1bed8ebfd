import { checkOptions } from '../dev/checks.js';
import { flag, object, type Rule, type Rules, rulesOf, string, text, wrongValue } from '../errors/option-rules.js';
import type { Operator } from '../operation/query-parts.js';
import { hasBlank, type ParamTemplate, parseTemplate } from './query-template.js';
import { type ProtectText, protectBy, VALUE_RULES, type ValueRules } from './value-rules.js';

/**
 * How `plain()` writes the conditions of one operator: `{name}` is the server's name of the field, `{value}` the value as text. A template
 * without `=` is the name of the parameter whose value is `{value}`: `'{name}__gte'`. A function returns the parameters instead.
 */
export type FilterTemplate = string | ((name: string, value: unknown) => Readonly<Record<string, unknown>>);

/** Texts for values that servers write in different ways. */
export interface ValueTexts {
  /** The text of true. @default 'true' */
  true?: string;
  /** The text of false. @default 'false' */
  false?: string;
  /** The text of null. Without it, only the templates `isNull` and `notNull` express null. @default none: null is refused */
  null?: string;
}

/**
 * How `plain()` writes filters: a template for each operator that the server knows. Filters with other operators are refused, since most
 * servers ignore what they do not know. Write each template as the documentation of the server does.
 *
 * In lists, `{value}` repeats the parameter for each item, with its number in `{index}`; `{values}` joins the items.
 */
export interface FilterTemplates extends ValueRules {
  /** Equal: `'{name}'`, `'filter[{name}]'`, `'{name}=eq.{value}'`. */
  eq?: FilterTemplate;
  /** Not equal: `'{name}_ne'`. */
  ne?: FilterTemplate;
  /** Less or equal: `'{name}__lte'`. */
  le?: FilterTemplate;
  /** Less: `'{name}[lt]'`. */
  lt?: FilterTemplate;
  /** Greater or equal: `'{name}__gte'`, `'filters[{name}][$gte]'`, `'{name}=ge:{value}'`. */
  ge?: FilterTemplate;
  /** Greater: `'{name}[gt]'`. */
  gt?: FilterTemplate;
  /** One of a list: `'{name}'` and `'{name}[]'` repeat the parameter, `'{name}__in={values}'` joins, `'{name}[$in][{index}]'` counts. */
  in?: FilterTemplate;
  /** None of a list; as `in`. */
  nin?: FilterTemplate;
  /** From the first to the second item of a list: `'{name}__range={from},{to}'`. @default the templates `ge` and `le` together */
  between?: FilterTemplate;
  /** Contains a text. */
  contains?: FilterTemplate;
  /** Starts with a text. */
  startsWith?: FilterTemplate;
  /** Ends with a text. */
  endsWith?: FilterTemplate;
  /** Contains a text, in upper or lower case. */
  like?: FilterTemplate;
  /** Is null, also for `eq` with null: `'{name}=is.null'`. With `{value}` it also says the opposite: `'{name}__isnull={value}'`. */
  isNull?: FilterTemplate;
  /** Is not null, also for `ne` with null: `'{name}=not.is.null'`. */
  notNull?: FilterTemplate;
  /** The member is there, also if it is null: `'{name}=exists'`. With `{value}` it also says the opposite: `'{name}[exists]={value}'`. */
  exists?: FilterTemplate;
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

/** The name of a template. */
export type TemplateName = Operator | 'notNull';

/** The templates of `plain()`, parsed. */
export interface ParsedTemplates {
  readonly params: ReadonlyMap<TemplateName, readonly ParamTemplate[]>;
  readonly functions: ReadonlyMap<TemplateName, Exclude<FilterTemplate, string>>;
  readonly texts: ValueTexts;
  readonly separator: string;
  readonly repeat: boolean;
  readonly join: string | undefined;
  readonly protect: ProtectText;
}

/** The operators that look for a text in another. */
export const TEXT_OPERATORS: readonly string[] = ['contains', 'startsWith', 'endsWith', 'like'];

const template: Rule = {
  expected: "a template such as '{name}__gte' or '{name}=gte:{value}', or a function that returns parameters",
  holds: (value) => typeof value === 'function' || text.holds(value),
};
const RULES: Rules<FilterTemplates> = /* @__PURE__ */ rulesOf(VALUE_RULES, {
  ...{
    eq: template,
    ne: template,
    le: template,
    lt: template,
    ge: template,
    gt: template,
    in: template,
    nin: template,
    between: template,
  },
  ...{
    contains: template,
    startsWith: template,
    endsWith: template,
    like: template,
    isNull: template,
    notNull: template,
    exists: template,
  },
  values: object,
  separator: text,
  repeat: flag,
  join: text,
});
const TEXT_RULES: Rules<ValueTexts> = { true: string, false: string, null: string };

/** Checks and parses the option `filter` of `plain()`. Throws `DefinitionError`. */
export function parseTemplates(templates: FilterTemplates): ParsedTemplates {
  checkOptions('plain.filter', templates, RULES);
  const { values: texts = {}, separator = ',', repeat = false, join, escape: escapes, refuse, ...given } = templates;
  checkOptions('plain.filter.values', texts, TEXT_RULES);
  if (repeat && join !== undefined)
    throw wrongValue('`plain.filter.join`', 'left out beside `repeat`: a server reads one or the other', join);
  const params = new Map<TemplateName, readonly ParamTemplate[]>();
  const functions = new Map<TemplateName, Exclude<FilterTemplate, string>>();
  for (const [name, each] of Object.entries(given) as [TemplateName, FilterTemplate | undefined][]) {
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

function parseFilter(operator: TemplateName, template: string): readonly ParamTemplate[] {
  const blanks = LIST_BLANKS[operator] ?? ['value'];
  const params = parseTemplate(template, `plain.filter.${operator}`, ['name', ...blanks], 'name');
  return params.map(({ name, value }) => {
    // Without `=`, the template is a name.
    if (name === undefined) return { name: value, value: '{value}' };
    const isTest = operator === 'isNull' || operator === 'notNull' || operator === 'exists';
    if (!isTest && !blanks.some((blank) => hasBlank(template, blank)))
      throw wrongValue(
        `\`plain.filter.${operator}\``,
        `a template with ${blanks.map((each) => `{${each}}`).join(' or ')}`,
        template,
      );
    return { name, value };
  });
}
