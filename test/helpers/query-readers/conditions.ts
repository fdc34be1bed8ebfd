import type { Dialect } from 'repose';

/** A condition as a server reads it. Values are texts, because a query holds nothing else. */
export interface ReadCondition {
  readonly property: string;
  readonly operator: string;
  readonly values: readonly (string | null)[];
}

/** A server whose grammar of filters is read by code of its own, written from the documentation of the server. */
export interface QueryReader {
  readonly name: string;
  readonly dialect: Dialect;
  /** Reads the conditions of a query, all of which must hold. Throws for what the server would answer with an error. */
  readonly read: (query: URLSearchParams) => readonly ReadCondition[];
  /** The operators that the server has. */
  readonly operators: readonly string[];
  /** Texts that the server can find with `eq`, beside letters, digits and inner spaces. */
  readonly finds?: readonly string[];
  /** The texts of true and false. @default true and false */
  readonly flags?: readonly [string, string];
  /** The fields that queries use. @default city and name */
  readonly fields?: readonly [string, string];
}

export const COMPARISONS: readonly string[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];
export const TEXTS: readonly string[] = ['contains', 'startsWith', 'endsWith', 'like'];

export function condition(property: string, operator: string, ...values: readonly unknown[]): ReadCondition {
  return { property, operator, values: values.map(textOf) };
}

/** A value as the text of a query; null has none. */
function textOf(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The text that a pattern of LIKE looks for, with `\` as its escape. Throws if a wildcard is left in it. */
export function likeText(pattern: string): string {
  return pattern.replace(/\\([\s\S])|[%_\\]/g, (part, escaped?: string) => {
    if (escaped === undefined) throw new Error(`${part} is a wildcard in the pattern ${pattern}`);
    return escaped;
  });
}

/** The first of some signs that a text begins with, and the rest of the text. The longest signs come first. */
export function behindSign(text: string, signs: Readonly<Record<string, string>>): [operator: string, rest: string] {
  const found = Object.keys(signs)
    .sort((a, b) => b.length - a.length)
    .find((each) => text.startsWith(each));
  return found === undefined ? ['eq', text] : [signs[found] as string, text.slice(found.length)];
}
