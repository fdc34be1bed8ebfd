import { inDevelopment } from '../dev/checks.js';
import { type Filter, type Operator, operatorOf } from '../operation/query-parts.js';
import { isSame } from '../util/values.js';
import { serverName } from './define-dialect.js';
import type { StepContext } from './dialect.js';
import { conditionText, noTemplate, twoParameters } from './equal-filter.js';
import { type FilterTemplates, type ParsedTemplates, parseTemplates, type TemplateName } from './filter-templates.js';
import type { FilterEncoder } from './filter-tree.js';
import { type Blanks, fillTemplate, hasBlank, hasLiterals, literalsOf, type ParamTemplate } from './query-template.js';
import { listItems, refusal, refuseFilterParam, sentFilters, stepRemedy } from './sent-query.js';
import { grammarOf, type TemplateGrammar } from './template-grammar.js';
import { misreadError, NEUTRAL, type ProtectedText, type TextCondition } from './value-rules.js';

/** A condition in the words of its template: without `between` and null, if these have no templates. */
interface Term {
  readonly template: TemplateName;
  readonly name: string;
  readonly value: unknown;
}

/** The values of one condition under one parameter: several for a list whose items are sent one by one. */
interface SentCondition {
  readonly values: unknown[];
  /** The value without its escaped and quoted parts, in which conditions can be told apart. */
  readonly bare: string | undefined;
  /** The template of the parameter; undefined if a function returned it. */
  readonly param: ParamTemplate | undefined;
}

/** The operators whose values may be null. */
const MAY_BE_NULL: readonly TemplateName[] = ['eq', 'ne', 'in', 'nin'];

/**
 * Writes filters by a template for each operator, for `plain({ filter })`. Throws `DefinitionError` for wrong templates.
 *
 * @example
 * ```ts
 * const dialect = plain({ filter: filterTemplates({ eq: '{name}', ge: '{name}__gte' }) }); // age__gte=18
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function filterTemplates(given: FilterTemplates): FilterEncoder {
  const templates = parseTemplates(given);
  const grammars = new Map<ParamTemplate, TemplateGrammar>();
  for (const [operator, params] of templates.params)
    for (const param of params) grammars.set(param, grammarOf(operator, param, templates));
  return {
    operators: operatorsOf(templates),
    filter(context, reserved = []) {
      inDevelopment(refuseFilterParam, context);
      const sent = new Map<string, SentCondition[]>();
      for (const filter of sentFilters(context.request.operation))
        for (const term of termsOf(context, templates, filter))
          for (const [name, condition] of conditionsOfTerm(context, templates, grammars, term)) {
            if (reserved.includes(name)) throw twoParameters(context, name);
            const others = sent.get(name);
            if (others) others.push(condition);
            else sent.set(name, [condition]);
          }
      for (const [name, conditions] of sent)
        context.request.collect(name, together(context, templates, name, conditions), 'plain', 'filters');
    },
  };
}

/** The value of a parameter under which all conditions are sent. Throws `UnsupportedQueryError` if a server could lose one of them. */
function together(
  context: StepContext,
  { params, join, repeat }: ParsedTemplates,
  name: string,
  conditions: readonly SentCondition[],
): unknown {
  const values = conditions.flatMap((each) => each.values);
  if (conditions.length === 1) return values.length > 1 ? values : values[0];
  if (join !== undefined) {
    const bare = conditions.map((each) => each.bare ?? '');
    const isFound = values.length === conditions.length && isSame(bare.join(join).split(join), bare);
    if (!isFound || conditions.some((each) => each.bare === undefined)) throw twoParameters(context, name);
    return values.join(join);
  }
  const isList = ({ param }: SentCondition) =>
    [...(params.get('in') ?? []), ...(params.get('nin') ?? [])].some(
      (each) => each.name === param?.name && each.value === param?.value && hasBlank(each.value, 'value'),
    );
  const isShared = conditions.every(({ param }) => param && !hasBlank(param.name as string, 'name'));
  // A server that reads a repeated parameter as a list would take several conditions for one.
  if (!(isShared || repeat) || conditions.some(isList)) throw twoParameters(context, name);
  return values;
}

/** The operators that templates can express. */
function operatorsOf({ params, functions, texts }: ParsedTemplates): readonly Operator[] {
  const known = new Set<TemplateName>([...params.keys(), ...functions.keys()]);
  if (known.has('ge') && known.has('le')) known.add('between');
  if (known.has('eq') && texts.null !== undefined) known.add('isNull');
  known.delete('notNull');
  return [...known] as Operator[];
}

function hasTemplate({ params, functions }: ParsedTemplates, name: TemplateName): boolean {
  return params.has(name) || functions.has(name);
}

/** Whether a template has a place for its value. */
function hasValue({ params }: ParsedTemplates, name: TemplateName): boolean {
  return params.get(name)?.some((each) => hasBlank(each.value, 'value')) === true;
}

/** A filter in the words of the templates. */
function termsOf(context: StepContext, templates: ParsedTemplates, filter: Filter): readonly Term[] {
  const { value } = filter;
  const operator = operatorOf(filter) as Operator;
  const name = serverName(context, filter.property as string);
  if (operator === 'isNull') return [nullTerm(context, templates, name, value !== false)];
  if (operator === 'exists') {
    const saysBoth = hasValue(templates, operator) || templates.functions.has(operator);
    if (value === false && !saysBoth)
      throw refusal(
        context,
        `a missing '${name}'`,
        `give \`plain()\` a template for \`exists\` with {value}, ${stepRemedy()}`,
      );
    return [{ template: operator, name, value: value !== false }];
  }
  if (value === null && (operator === 'eq' || operator === 'ne'))
    return [nullTerm(context, templates, name, operator === 'eq')];
  if (operator !== 'between' || hasTemplate(templates, 'between')) return [{ template: operator, name, value }];
  const [from, to] = listItems(context, operator, value);
  return [
    { template: 'ge', name, value: from },
    { template: 'le', name, value: to },
  ];
}

/** The condition that a field is null, or is not. */
function nullTerm(context: StepContext, templates: ParsedTemplates, name: string, isNull: boolean): Term {
  const template = isNull ? 'isNull' : 'notNull';
  if (hasTemplate(templates, template)) return { template, name, value: isNull };
  if (hasValue(templates, 'isNull')) return { template: 'isNull', name, value: isNull };
  const compare = isNull ? 'eq' : 'ne';
  if (templates.texts.null !== undefined && hasTemplate(templates, compare))
    return { template: compare, name, value: null };
  throw noTemplate(context, template, name);
}

/** The parameters of a term, by their names. */
function conditionsOfTerm(
  context: StepContext,
  templates: ParsedTemplates,
  grammars: ReadonlyMap<ParamTemplate, TemplateGrammar>,
  { template, name, value }: Term,
): ReadonlyMap<string, SentCondition> {
  const own = templates.functions.get(template);
  if (own) {
    for (const each of [value].flat())
      if (typeof each === 'string')
        templates.protect(context, { operator: template as Operator, property: name }, each);
    const params = Object.entries(own(name, value));
    return new Map(params.map(([key, each]) => [key, { values: [each], bare: undefined, param: undefined }]));
  }
  const sent = new Map<string, SentCondition>();
  for (const param of templates.params.get(template) as readonly ParamTemplate[]) {
    const write = writerOf(context, templates, grammars.get(param) as TemplateGrammar, { template, name, param });
    for (const { key, text, bare } of write(value)) {
      const known = sent.get(key);
      if (known) known.values.push(text);
      else sent.set(key, { values: [text], bare, param });
    }
  }
  return sent;
}

/** One parameter of a condition on a field. */
interface Place {
  readonly template: TemplateName;
  readonly name: string;
  readonly param: ParamTemplate;
}

interface SentText {
  readonly key: string;
  readonly text: string;
  readonly bare: string;
}

/** Makes the function that writes the value of a condition into a parameter. */
function writerOf(
  context: StepContext,
  templates: ParsedTemplates,
  { marks, isQuoted }: TemplateGrammar,
  { template, name, param }: Place,
): (value: unknown) => readonly SentText[] {
  const condition = { operator: template as Operator, property: name };
  const { separator } = templates;
  const rivals = rivalsOf(templates, { template, name, param });
  const textsOf = (value: unknown): ProtectedText => {
    const text = textOf(context, templates, condition, value);
    if (typeof value === 'string' && text === templates.texts.null && MAY_BE_NULL.includes(template))
      throw misreadError(context, text, condition, 'read as null', stepRemedy());
    const { sent, bare } = templates.protect(context, condition, text);
    const mark = marks.find((each) => bare.includes(each));
    if (mark !== undefined)
      throw misreadError(context, mark, condition, 'read as a part of its grammar', escapeRemedy());
    return { sent, bare };
  };
  const fill = (sent: Blanks, bare: Blanks): SentText => {
    const key = fillTemplate(param.name as string, { ...sent, name }) as string;
    const text = fillTemplate(param.value, { ...sent, name }) as string;
    const shown = fillTemplate(param.value, { ...bare, name }) as string;
    const rival = rivals.find(({ literals }) => hasLiterals(shown, literals));
    if (rival?.isList) throw misreadError(context, separator, condition, 'read as a list', escapeRemedy());
    if (rival) throw misreadError(context, text, condition, `read as \`${rival.template}\``, escapeRemedy());
    return { key, text, bare: shown };
  };
  const bareOf = (bare: string) => (isQuoted ? NEUTRAL : bare);
  const one = (value: unknown, index?: string): SentText => {
    const { sent, bare } = textsOf(value);
    return fill({ value: sent, index }, { value: bareOf(bare), index });
  };
  if (template !== 'in' && template !== 'nin' && template !== 'between') return (value) => [one(value)];
  return (value) => {
    const given = listItems(context, template, value);
    if (hasBlank(param.value, 'value')) return given.map((each, index) => one(each, String(index)));
    const items = given.map(textsOf);
    const bare = items.map((each) => each.bare);
    const between = hasBlank(param.value, 'values')
      ? separator
      : (/\{from\}([^{}]+)\{to\}/.exec(param.value)?.[1] ?? '');
    const isEmpty = items.length === 1 && bare[0] === '';
    // The server must find the items again between the separators.
    if (isEmpty || (between !== '' && !isSame(bare.join(between).split(between), bare)))
      throw refusal(
        context,
        `the items ${items.map(({ sent }) => `'${sent}'`).join(' and ')} in one parameter`,
        `send the items one by one with {value}, ${escapeRemedy()}`,
      );
    const [from, to] = items;
    return [
      fill(
        { values: items.map((each) => each.sent).join(separator), from: from?.sent, to: to?.sent },
        { values: bare.map(bareOf).join(separator), from: bareOf(from?.bare ?? ''), to: bareOf(to?.bare ?? '') },
      ),
    ];
  };
}

/** A template by which a server could read a value as a condition of another operator. */
interface Rival {
  readonly template: TemplateName;
  readonly literals: readonly string[];
  /** Whether it reads several items. */
  readonly isList: boolean;
}

/**
 * The templates of other operators for the same parameter that read some texts of a template, but not all of them: a value must not choose the
 * operator. With `{name}=gt:{value}`, a server reads the text `gt:5` of `{name}` as `gt`, and with `{name}={values}` the text `a,b` as a list.
 */
function rivalsOf({ params, separator }: ParsedTemplates, { template, name, param }: Place): readonly Rival[] {
  const usual = [NEUTRAL, `${NEUTRAL}${separator}${NEUTRAL}`].map(
    (values) =>
      fillTemplate(param.value, { name, value: NEUTRAL, values, from: NEUTRAL, to: NEUTRAL, index: '0' }) as string,
  );
  const rivals = [...params].flatMap(([operator, others]) =>
    others
      .filter((other) => operator !== template && other.name === param.name && other.value !== param.value)
      .flatMap(({ value }) => {
        const list = value.replace('{values}', () => `{values}${separator}{values}`);
        return [
          { template: operator, literals: literalsOf(value, name), isList: false },
          { template: operator, literals: literalsOf(list, name), isList: list !== value },
        ];
      }),
  );
  return rivals.filter(({ literals }) => !usual.some((each) => hasLiterals(each, literals)));
}

/** A value as text. */
function textOf(
  context: StepContext,
  { texts }: ParsedTemplates,
  { operator, property }: TextCondition,
  value: unknown,
): string {
  if (typeof value === 'boolean') return texts[`${value}`] ?? String(value);
  // Nothing is less or greater than null, and no text holds it.
  if (value === null && texts.null !== undefined && MAY_BE_NULL.includes(operator)) return texts.null;
  return conditionText(context, property, value);
}

/** The remedy for a text that needs an escape. */
function escapeRemedy(): string {
  return `say with \`filter.escape\` how the server expects it, ${stepRemedy()}`;
}
