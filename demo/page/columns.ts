import type { ValuesOf } from 'repose';
import type { Task } from '../models.js';

/** A column whose cells are edited. */
export interface Column {
  readonly name: Exclude<keyof ValuesOf<Task>, 'id'>;
  readonly label: string;
  readonly type: 'text' | 'number' | 'date' | 'checkbox';
  /** Steps of a number. */
  readonly step?: string;
}

/** The columns between the id and the buttons. */
export const columns: readonly Column[] = [
  { name: 'title', label: 'Title', type: 'text' },
  { name: 'priority', label: 'Priority', type: 'number', step: '1' },
  { name: 'due', label: 'Due', type: 'date' },
  { name: 'estimate', label: 'Days', type: 'number', step: '0.5' },
  { name: 'done', label: 'Done', type: 'checkbox' },
];

/** What an input holds, as its field has it. */
export function readInput(input: HTMLInputElement): unknown {
  if (input.type === 'checkbox') return input.checked;
  if (input.type === 'text') return input.value;
  if (input.value === '') return null;
  return input.type === 'number' ? input.valueAsNumber : input.value;
}

/** Shows a field's value in its input. What says the same already is left alone: somebody may be typing. */
export function writeInput(input: HTMLInputElement, value: unknown): void {
  if ((readInput(input) ?? null) === (value ?? null)) return;
  if (input.type === 'checkbox') input.checked = value === true;
  else input.value = value === null || value === undefined ? '' : String(value);
}
