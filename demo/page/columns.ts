import type { ValuesOf } from 'repose';
import type { Task } from '../models.js';

/** A column with editable cells. */
export interface Column {
  readonly name: Exclude<keyof ValuesOf<Task>, 'id'>;
  readonly label: string;
  readonly type: 'text' | 'number' | 'date' | 'checkbox';
  /** Step between the numbers of an input. */
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

/** The value of an input, converted for its field. */
export function readInput(input: HTMLInputElement): unknown {
  if (input.type === 'checkbox') return input.checked;
  if (input.type === 'text') return input.value;
  if (input.value === '') return null;
  return input.type === 'number' ? input.valueAsNumber : input.value;
}

/** Shows the value of a field in its input. An input that already shows it is left alone, because the user may be typing. */
export function writeInput(input: HTMLInputElement, value: unknown): void {
  if ((readInput(input) ?? null) === (value ?? null)) return;
  if (input.type === 'checkbox') input.checked = value === true;
  else input.value = value === null || value === undefined ? '' : String(value);
}
