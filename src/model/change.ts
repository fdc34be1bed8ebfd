import type { WriteAction } from '../extension/write.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import { coreOf, type InnerRecord, withWrittenTo, writeEditsOf } from './record.js';
import type { Edits } from './record-core.js';
import { copyEdits, twinOf } from './sent-record.js';
import { ROW } from './symbols.js';

/** The values, address and parameters that one write of a record sends, as they were when the write was captured. It never changes. */
export interface Change {
  readonly action: WriteAction;
  /** The id as the server knows it; undefined for a new record. */
  readonly id: unknown;
  /** The row on which the edits were made. */
  readonly base: Readonly<Data>;
  /** The edited fields and their values, in the form in which the application set them; embedded records are copies. */
  readonly edits: Edits;
  /** The same values in their JSON form. */
  readonly written: Edits;
  /** The temporary id of a new record. */
  readonly temporaryId: unknown;
  readonly pathParams: Readonly<Record<string, unknown>> | undefined;
  /** When it was captured, on the model's clock of reads and writes. */
  readonly at: number;
  readonly proxy: DataProxy | undefined;
  /** Whether the values were given by the caller, while the record keeps its edits. */
  readonly isCopy: boolean;
}

/** Captures what a write of a record sends now: the record's edits, or the given ones. */
export function captureChange(
  record: InnerRecord,
  action: WriteAction,
  proxy: DataProxy | undefined,
  given?: Edits,
): Change {
  const core = coreOf(record);
  const { [MODEL]: model } = record;
  const { phantom, temporaryId, pathParams } = core;
  const edits = given ?? core.edits;
  const base = record[ROW];
  return {
    action,
    id: phantom ? undefined : model.serverId(record),
    base,
    edits: copyEdits(edits),
    written: writeEditsOf(base, edits),
    temporaryId: core.change?.temporaryId ?? temporaryId,
    pathParams,
    at: model.clock.now,
    proxy,
    isCopy: given !== undefined,
  };
}

/** A record that has exactly the values of a change, from which a request can be built. */
export function viewOf(record: InnerRecord, change: Change): InnerRecord {
  return twinOf(record, change.base, change.edits, change.temporaryId, change.pathParams);
}

/** The row that the server has if it has taken a change: its base with the values that were sent. */
export function rowAfter({ base, written }: Change): Data {
  return withWrittenTo(base, written);
}
