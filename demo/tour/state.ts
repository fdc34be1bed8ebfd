import type { Task } from '../models.js';
import { shorten } from './text.js';

/** The state of a record in one line; after a failed write a second line with the error. */
export function describeState(task: Task): string[] {
  const { modified, previousValues, error } = task.$;
  const before = previousValues as Readonly<Record<string, unknown>>;
  const edits = Object.entries(modified).map(
    ([name, value]) => `${name} ${JSON.stringify(before[name])} → ${JSON.stringify(value)}`,
  );
  const life = task.erased ? 'erased' : task.phantom ? 'phantom' : 'saved';
  const id = task.phantom ? `id ${task.getId()}, temporary` : `id ${task.getId()}`;
  const edited = edits.length ? `edited: ${edits.join(', ')}` : task.phantom || task.erased ? '' : 'clean';
  return [
    shorten([life, id, edited].filter(Boolean).join(' · '), 90),
    ...(error ? [shorten(`error: ${error.message}`, 90)] : []),
  ];
}
