import { wrongValue } from '../errors/option-rules.js';

/** A parameter of a template: the template of its name, which may be undefined, and the template of its value. */
export interface ParamTemplate {
  readonly name: string | undefined;
  readonly value: string;
}

/** Texts for the blanks of a template, by their names. */
export type Blanks = Readonly<Record<string, string | undefined>>;

const BLANK = /\{(\w*)\}/g;

/**
 * Splits a template, written as in the documentation of a server: `_sort={name}&_order=desc`. A part without `=` is a value without a name.
 * Throws `DefinitionError` for blanks other than `blanks`, and for a template that lacks the one that is `needed`.
 */
export function parseTemplate(
  template: string,
  option: string,
  blanks: readonly string[],
  needed?: string,
): readonly ParamTemplate[] {
  const used = [...template.matchAll(BLANK)].map(([, name]) => name as string);
  if ((needed && !used.includes(needed)) || !used.every((name) => blanks.includes(name))) {
    throw wrongValue(
      `\`${option}\``,
      `a text with ${needed ? `{${needed}}, and with ` : ''}no braces but ${blanks.map((name) => `{${name}}`).join(', ')}`,
      template,
    );
  }
  return template.split('&').map((part) => {
    const at = part.indexOf('=');
    return at < 0 ? { name: undefined, value: part } : { name: part.slice(0, at), value: part.slice(at + 1) };
  });
}

/** Fills in the blanks of a template; undefined if a blank has no text. */
export function fillTemplate(template: string, blanks: Blanks): string | undefined {
  let isFilled = true;
  const text = template.replace(BLANK, (_, name: string) => {
    const filled = blanks[name];
    if (filled === undefined) isFilled = false;
    return filled ?? '';
  });
  return isFilled ? text : undefined;
}

/** Whether a template has a blank. */
export function hasBlank(template: string, blank: string): boolean {
  return template.includes(`{${blank}}`);
}

/** The part of the template of a value before the value itself. */
export function startOf(template: string): string {
  return template.split(/\{(?!name\})/, 1)[0] as string;
}

/** The texts of a template around its blanks, of which the name alone is filled in. */
export function literalsOf(template: string, name: string): readonly string[] {
  return template.replaceAll('{name}', () => name).split(/\{\w*\}/);
}

/** Whether a text is made of literals in their order, with any text between them. */
export function hasLiterals(text: string, literals: readonly string[]): boolean {
  const [first = '', ...others] = literals;
  const last = others.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return false;
  let at = first.length;
  for (const literal of others) {
    const found = text.indexOf(literal, at);
    if (found < 0 || found + literal.length > end) return false;
    at = found + literal.length;
  }
  return true;
}
