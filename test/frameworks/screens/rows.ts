/** A row of the smoke screens. */
export interface Row {
  readonly id: number;
  title: string;
}

declare global {
  interface Window {
    /** Changes a row from outside of the screen. */
    edit(id: number, title: string): void;
  }
}

/** 200 rows. */
export function makeRows(): Row[] {
  return Array.from({ length: 200 }, (_, index) => ({ id: index + 1, title: `Row number ${index + 1}` }));
}
