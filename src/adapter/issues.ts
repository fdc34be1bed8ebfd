import type { Issue } from '../errors/validation-error.js';

/** The messages of issues by field, nested as the values are: `{ lines: { 0: { sku: 'Unknown' } } }`. */
export interface NestedMessages {
  [name: string]: string | NestedMessages;
}

/** The name under which forms show what is wrong with the record as a whole. */
const WHOLE_RECORD = 'root';

/** The messages of issues as an object that is nested like the values. The first message of a place counts. */
export function nestedMessages(issues: readonly Issue[]): NestedMessages {
  const messages: NestedMessages = withoutPrototype();
  for (const { path, message } of issues) {
    const names = path.length > 0 ? path.map(String) : [WHOLE_RECORD, 'serverError'];
    let place = messages;
    for (const name of names.slice(0, -1)) {
      if (typeof place[name] === 'string') break;
      place = (place[name] ??= withoutPrototype()) as NestedMessages;
    }
    place[names.at(-1) as string] ??= message;
  }
  return messages;
}

/** The messages of issues by the path of the field, such as `lines.0.sku`. */
export function messagesByPath(issues: readonly Issue[]): Record<string, string[]> {
  const messages: Record<string, string[]> = withoutPrototype();
  for (const { path, message } of issues) (messages[path.join('.') || WHOLE_RECORD] ??= []).push(message);
  return messages;
}

/** Servers choose the paths of their errors: `__proto__` in a path must not reach the prototype of all objects. */
function withoutPrototype<T extends object>(): T {
  return Object.create(null) as T;
}
