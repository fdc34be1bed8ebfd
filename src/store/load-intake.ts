import type { Extension } from '../extension/extension.js';
import type { Model } from '../model/model.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Page, PageMode, PageReader } from './page-reader.js';
import type { RecordSet } from './record-set.js';

/** Puts the rows of one load in place while they arrive. */
export interface RowsIntake<M extends Model> {
  /** Number of records in place before the first rows; undefined while no row has come. */
  readonly before: number | undefined;
  /** Puts rows in place, behind the rows before them. */
  add(page: Page, mode: PageMode): void;
  /** Puts the last rows in place. Returns the records of the whole load, each of them once. */
  finish(page: Page, mode: PageMode): readonly M[];
}

/** An extension that reads rows early brings the intake that shows them: {@link streaming}. */
export const INTAKE: unique symbol = Symbol('intake');

/** An extension with an intake. */
export interface IntakeExtension extends Extension {
  readonly [INTAKE]: <M extends Model>(recordSet: RecordSet<M>, pages: PageReader<M>) => RowsIntake<M>;
}

/** The intake that puts the rows of a load in place while they arrive; undefined if they can only be shown together. */
export function openIntake<M extends Model>(
  proxy: DataProxy,
  recordSet: RecordSet<M>,
  pages: PageReader<M>,
): RowsIntake<M> | undefined {
  return (proxy.extensions as readonly Partial<IntakeExtension>[])
    .findLast((each) => each[INTAKE])
    ?.[INTAKE]?.(recordSet, pages);
}
