import { type ParsedTemplates, TEXT_OPERATORS, type TemplateName } from './filter-templates.js';
import { hasBlank, type ParamTemplate, startOf } from './query-template.js';

/** The grammar of a server, as a template shows it. */
export interface TemplateGrammar {
  /** Texts that a value must not hold, unless they are escaped: the server would end the value there, or read them as wildcards. */
  readonly marks: readonly string[];
  /** Whether quotes enclose the value. Inside of them, nothing but the `marks` can be grammar. */
  readonly isQuoted: boolean;
}

const QUOTES: readonly string[] = ["'", '"', '`'];
const WILDCARDS: readonly string[] = ['*', '%'];
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<' };
/** Punctuation at the end of a text. */
const PUNCTUATION = /[^\p{L}\p{N}\s]+$/u;

/** Reads the grammar of a server from the template of one parameter: what encloses a value would also end it. */
export function grammarOf(operator: TemplateName, param: ParamTemplate, templates: ParsedTemplates): TemplateGrammar {
  const wildcards = wildcardsOf(operator, param, templates);
  const [before, after] = aroundValue(param.value);
  // Wildcards of the template itself stand between the value and its quotes.
  const open = wildcards.size > 0 ? before.replace(/[*%]+$/, '') : before;
  const end = wildcards.size > 0 ? after.replace(/^[*%]+/, '') : after;
  const [closing = ''] = end;
  const isQuoted = QUOTES.includes(closing) && open.endsWith(closing);
  const marks = new Set(wildcards);
  if (isQuoted) marks.add(closing).add('\\');
  else {
    if (closing !== '') marks.add(PUNCTUATION.test(closing) ? closing : end);
    const opening = OPENING[closing];
    if (opening !== undefined && startOf(param.value).includes(opening)) marks.add(opening);
    const separator = separatorBefore(param, open);
    if (separator !== '') marks.add(closing === '' ? separator : separator.slice(-1));
    if (templates.join !== undefined) marks.add(templates.join);
  }
  return { marks: [...marks], isQuoted };
}

/** The punctuation between a name and its value in one parameter: `||` in `filter={name}||$eq||{value}`. */
function separatorBefore({ value }: ParamTemplate, before: string): string {
  return hasBlank(value, 'name') ? (PUNCTUATION.exec(before.trimEnd())?.[0] ?? '') : '';
}

/**
 * The wildcards of the server, as the templates of text operators show them: `{name}=*{value}*`. They are wildcards in a condition of another
 * operator too if its text begins in the same way. Where `%` stands for any text, `_` stands for any character.
 */
function wildcardsOf(operator: TemplateName, param: ParamTemplate, { params }: ParsedTemplates): Set<string> {
  const start = textStart(operator, param);
  const found = TEXT_OPERATORS.flatMap((each) => params.get(each as TemplateName) ?? [])
    .filter((other) => other.name === param.name && textStart('like', other) === start)
    .flatMap((other) => {
      const [before, after] = aroundValue(other.value);
      return [before.slice(-1), after.slice(0, 1)];
    })
    .filter((each) => WILDCARDS.includes(each));
  return new Set(found.includes('%') ? [...found, '_'] : found);
}

/** The part of a template before the value, without wildcards. */
function textStart(operator: TemplateName, { value }: ParamTemplate): string {
  const start = startOf(value);
  return TEXT_OPERATORS.includes(operator) ? start.replace(/[*%]+$/, '') : start;
}

/** The texts before and behind the blanks of the value. */
function aroundValue(template: string): readonly [before: string, after: string] {
  const [, before = '', after = ''] = /([^{}]*)\{(?:value|values|from)\}(?:.*\{to\})?([^{}]*)/s.exec(template) ?? [];
  return [before, after];
}
