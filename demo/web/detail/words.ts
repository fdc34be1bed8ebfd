const MONEY = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const SIZES = ['bytes', 'kB', 'MB', 'GB'] as const;

/** A decimal as an amount of money. */
export function money(value: string | null | undefined): string {
  return value === null || value === undefined || value === '' ? '–' : MONEY.format(Number(value));
}

/** The amount of a line, as the server adds it up: in whole cents. */
export function amount(quantity: number | null | undefined, price: string | null | undefined): string {
  const cents = Number(quantity ?? 0) * Math.round(Number(price ?? 0) * 100);
  return Number.isFinite(cents) ? MONEY.format(cents / 100) : '–';
}

/** A moment, in the time of the reader. */
export function moment(value: Date | null | undefined): string {
  return value ? TIME.format(value) : '';
}

/** A number of bytes, in the unit that fits. */
export function fileSize(bytes: number): string {
  const step = Math.min(SIZES.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const shown = bytes / 1000 ** step;
  return `${step === 0 || shown >= 100 ? Math.round(shown) : shown.toFixed(1)} ${SIZES[step]}`;
}
