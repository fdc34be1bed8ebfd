import { isJsonObject, type Json, member } from './json.js';

type Check = (value: Json) => string | undefined;

/** Refuses a text that is blank or longer than `max`. */
export function filled(max: number): Check {
  return (value) => {
    const text = String(value);
    if (text.trim() === '') return 'must not be empty';
    return text.length > max ? `must have at most ${max} characters` : undefined;
  };
}

/** Refuses a text longer than `max`. */
export function atMost(max: number): Check {
  return (value) => (String(value).length > max ? `must have at most ${max} characters` : undefined);
}

/** Refuses a text that does not look like a mail address. */
export function email(value: Json): string | undefined {
  const text = String(value);
  // The length is checked first, because the expression takes quadratic time.
  return text.length <= 254 && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? undefined : 'is not an email address';
}

/** Refuses a number outside the range. */
export function range(min: number, max: number): Check {
  return (value) => (Number(value) < min || Number(value) > max ? `must be from ${min} to ${max}` : undefined);
}

/** Refuses a text that is not listed. */
export function oneOf(...values: readonly string[]): Check {
  return (value) => (values.includes(String(value)) ? undefined : `must be one of ${values.join(', ')}`);
}

/** Refuses settings whose `theme` or `tags` have the wrong type; other members are free. */
export function settings(value: Json): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const theme = member(value, 'theme');
  if (theme !== undefined && typeof theme !== 'string') return 'must have a text as theme';
  const tags = member(value, 'tags');
  const list = tags === undefined || (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string'));
  return list ? undefined : 'must have a list of texts as tags';
}
