import type { Column } from './columns.js';

const numbers = new Intl.NumberFormat('en-GB');
const money = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const dates = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short', year: 'numeric' });

/** A whole number with separators. */
export function formatCount(count: number): string {
  return numbers.format(count);
}

/** An amount of money, which is a text so that no digit gets lost. */
export function formatMoney(amount: string | number): string {
  return money.format(amount as Intl.StringNumericLiteral);
}

/** The text of a value in a cell. */
export function formatValue(kind: Column['kind'], value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'money') return formatMoney(value as string);
  if (kind === 'date') return formatDate(String(value));
  if (kind === 'boolean') return value ? 'Yes' : '';
  return String(value);
}

/** A date, as `2026-11-26`, in words. */
function formatDate(text: string): string {
  const date = new Date(`${text}T00:00:00`);
  return Number.isNaN(date.getTime()) ? text : dates.format(date);
}
