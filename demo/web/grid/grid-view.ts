import { Value } from '../client/value.js';
import type { BulkJob } from './bulk-job.js';
import { type Filtering, NO_FILTER } from './query.js';
import { NOT_SAVED, type SaveState } from './save-state.js';
import type { Grouping } from './sections.js';

/**
 * The settings of a person in the grid, and the work that runs there. They belong to the client, because the grid leaves the page when an order is opened,
 * while the store of the orders keeps its filters, and a bulk action goes on.
 */
export class GridView {
  readonly filtering: Value<Filtering> = new Value<Filtering>(NO_FILTER);
  readonly grouping: Value<Grouping | undefined> = new Value<Grouping | undefined>(undefined);
  readonly saving: Value<SaveState> = new Value<SaveState>(NOT_SAVED);
  readonly bulk: Value<BulkJob | undefined> = new Value<BulkJob | undefined>(undefined);

  dispose(): void {
    this.bulk.get()?.dispose();
  }
}
