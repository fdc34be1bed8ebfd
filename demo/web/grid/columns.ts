import {
  type ColumnDef,
  columnOrderingFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  tableFeatures,
} from '@tanstack/react-table';
import type { Order } from '../models.js';

/** The fields of an order that the grid shows. */
export type ColumnName =
  | 'id'
  | 'customerName'
  | 'placed'
  | 'status'
  | 'total'
  | 'urgent'
  | 'note'
  | 'categoryName'
  | 'lineCount'
  | 'customerCity';

/** How the values of a column are shown, edited and filtered. */
export interface Column {
  readonly name: ColumnName;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'money' | 'date' | 'status' | 'boolean';
  readonly width: number;
  readonly isEditable?: boolean;
  readonly isHidden?: boolean;
}

/** All columns, in the order in which they stand at first. Those up to the lines fit beside the other pane at 1,280 pixels. */
export const COLUMNS: readonly Column[] = [
  { name: 'id', label: 'No.', kind: 'number', width: 58 },
  { name: 'customerName', label: 'Customer', kind: 'text', width: 128 },
  { name: 'placed', label: 'Placed', kind: 'date', width: 104, isEditable: true },
  { name: 'status', label: 'Status', kind: 'status', width: 90, isEditable: true },
  { name: 'note', label: 'Note', kind: 'text', width: 128, isEditable: true },
  { name: 'lineCount', label: 'Lines', kind: 'number', width: 56 },
  { name: 'total', label: 'Total', kind: 'money', width: 98 },
  { name: 'urgent', label: 'Urgent', kind: 'boolean', width: 70, isEditable: true },
  { name: 'categoryName', label: 'Category', kind: 'text', width: 120 },
  { name: 'customerCity', label: 'City', kind: 'text', width: 120, isHidden: true },
];

const BY_NAME: ReadonlyMap<string, Column> = new Map(COLUMNS.map((column) => [column.name, column]));

/** The column with this name. */
export function columnOf(name: string): Column {
  const column = BY_NAME.get(name);
  if (!column) throw new Error(`There is no column "${name}"`);
  return column;
}

// #region table
/** The features of TanStack Table that the grid uses. Sorting and filtering belong to the store. */
export const features = tableFeatures({
  columnOrderingFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
});

/** The columns, as TanStack Table knows them. */
export const tableColumns: ColumnDef<typeof features, Order>[] = COLUMNS.map(({ name, label, width }) => ({
  id: name,
  accessorFn: (order) => order[name],
  header: label,
  size: width,
  minSize: 48,
  maxSize: 600,
}));
// #endregion

/** The columns as one person has arranged them. */
export interface Arrangement {
  readonly columnOrder: string[];
  readonly columnSizing: Record<string, number>;
  readonly columnVisibility: Record<string, boolean>;
}

const FIRST: Arrangement = {
  columnOrder: COLUMNS.map(({ name }) => name),
  columnSizing: {},
  columnVisibility: Object.fromEntries(COLUMNS.filter(({ isHidden }) => isHidden).map(({ name }) => [name, false])),
};

const keyOf = (person: string) => `shop-columns-${person}`;

/** Reads the arrangement of a person from the storage of the browser. */
export function readArrangement(person: string): Arrangement {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(person)) ?? '{}') as Partial<Arrangement>;
    // A column that came with a later version of the page stands at the end.
    const known = [...new Set(stored.columnOrder ?? [])].filter((name) => BY_NAME.has(name));
    const columnOrder = [...known, ...FIRST.columnOrder.filter((name) => !known.includes(name))];
    const only = <T>(values: Readonly<Record<string, unknown>> | undefined, type: string) =>
      Object.fromEntries(
        Object.entries(values ?? {}).filter(([name, value]) => BY_NAME.has(name) && typeof value === type),
      ) as Record<string, T>;
    return {
      columnOrder,
      columnSizing: only<number>(stored.columnSizing, 'number'),
      columnVisibility: { ...FIRST.columnVisibility, ...only<boolean>(stored.columnVisibility, 'boolean') },
    };
  } catch {
    return FIRST;
  }
}

/** Stores the arrangement of a person. */
export function storeArrangement(person: string, arrangement: Arrangement): void {
  try {
    localStorage.setItem(keyOf(person), JSON.stringify(arrangement));
  } catch {
    // A browser that stores nothing shows the columns as at first after a reload.
  }
}
