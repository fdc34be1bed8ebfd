import type { Extension, RecordId } from 'repose';
import { type Ending, LAYERS, type WriteAction } from 'repose/extend';

/** The outcome of one write of one record, without values: more people may read a log than a record. */
export interface AuditEntry {
  readonly time: number;
  readonly action: WriteAction;
  readonly model: string;
  /** The id; undefined if the server has given none. */
  readonly id: RecordId | undefined;
  readonly ending: Ending;
}

/** Reports every write when its records have settled, also those that were never sent (`noNews`). */
export function auditLog(report: (entry: AuditEntry) => void): Extension {
  return {
    name: 'auditLog',
    layer: LAYERS.telemetry + 1,
    settled({ action, model, records, outcomes, proxy }) {
      for (const [at, { ending }] of outcomes.entries()) {
        const record = records[at];
        const id = record?.phantom ? undefined : record?.getId();
        report({ time: proxy.clock.now(), action, model, id, ending });
      }
    },
  };
}
