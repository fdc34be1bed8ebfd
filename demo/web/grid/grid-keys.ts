/** A cell of the grid: row -1 is the head. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** The size of the grid. */
export interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Number of rows that are visible at once. */
  readonly page: number;
}

// #region keys
/** The cell to which a key moves; undefined for other keys. */
export function moveBy(
  { key, ctrlKey, metaKey }: { readonly key: string; readonly ctrlKey: boolean; readonly metaKey: boolean },
  { row, column }: Place,
  { rows, columns, page }: Extent,
): Place | undefined {
  const toEdge = ctrlKey || metaKey;
  const [lastRow, lastColumn] = [rows - 1, columns - 1];
  const to = (nextRow: number, nextColumn: number): Place => ({
    row: Math.min(Math.max(nextRow, -1), lastRow),
    column: Math.min(Math.max(nextColumn, 0), lastColumn),
  });
  switch (key) {
    case 'ArrowDown':
      return toEdge ? to(lastRow, column) : to(row + 1, column);
    case 'ArrowUp':
      return toEdge ? to(0, column) : to(row - 1, column);
    case 'ArrowRight':
      return toEdge ? to(row, lastColumn) : to(row, column + 1);
    case 'ArrowLeft':
      return toEdge ? to(row, 0) : to(row, column - 1);
    case 'PageDown':
      return to(row + page, column);
    case 'PageUp':
      return to(Math.max(row - page, 0), column);
    case 'Home':
      return toEdge ? to(0, 0) : to(row, 0);
    case 'End':
      return toEdge ? to(lastRow, lastColumn) : to(row, lastColumn);
    default:
      return undefined;
  }
}
// #endregion
