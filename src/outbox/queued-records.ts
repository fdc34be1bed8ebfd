import type { QueuedWrite } from '../extension/keeper.js';
import { type InnerRecord, writeEdits } from '../model/record.js';
import { didChange } from '../model/record-owner.js';
import { CORE, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { isSame } from '../util/values.js';
import type { ChangeLog } from './change-log.js';
import { shownValues } from './change-values.js';
import type { HeldRecord } from './held-record.js';

/** The records whose changes the outbox keeps and sends by itself. They are told when that changes. */
export class QueuedRecords {
  constructor(
    private readonly log: ChangeLog,
    /** Whether changes wait for a decision of the application. */
    private readonly isStuck: (held: HeldRecord) => boolean,
  ) {}

  /** The saves and the erase of a record that the outbox keeps and sends by itself; undefined: none. */
  writeOf(record: InnerRecord): QueuedWrite | undefined {
    const held = this.log.get(record);
    if (!held || this.lookOf(held) !== 'queued') return undefined;
    const { changes, erases } = held;
    let values: Map<string, unknown> | undefined;
    const saved = () => (values ??= shownValues(record, changes));
    return {
      erases,
      holds: (name) => erases || (saved().has(name) && isWritten(record, name, saved().get(name))),
      writes: (name) => saved().has(name),
    };
  }

  /** Tells the records that show changes, and those that wait for them, if they look different now. `isSaved`: a change was added. */
  update(held: HeldRecord, isSaved: boolean = false): void {
    const before = held.told;
    const look = this.lookOf(held);
    const records = recordsOf(held);
    held.told = { look, records: look === 'nothing' ? [] : records };
    const isOther = before.look !== look;
    const gone = before.records.filter((record) => !records.includes(record));
    for (const record of [...gone, ...records])
      if (isOther || isSaved || (look === 'queued' && !before.records.includes(record)))
        didChange(record, { kind: 'queued', fields: [] });
    // Records that refer to it wait for the same decision.
    const isDecided = isOther && (before.look === 'stuck' || look === 'stuck' || this.log.idOf(held.key) === null);
    for (const each of isDecided ? this.log.records.values() : [])
      if (each.changes.some(({ change }) => Object.values(change.dependsOn).includes(held.key))) this.update(each);
  }

  private lookOf(held: HeldRecord): HeldRecord['told']['look'] {
    if (held.isEmpty) return 'nothing';
    return this.isStuck(held) ? 'stuck' : 'queued';
  }
}

/** The records of this page that show changes or have saved some of them. */
function recordsOf({ record, changes }: HeldRecord): readonly InnerRecord[] {
  const records = record ? [record] : [];
  for (const { own } of changes) if (own && !records.includes(own.record)) records.push(own.record);
  return records;
}

/** Whether the edit of a field has a value, in the form in which changes are stored. */
function isWritten(record: InnerRecord, name: string, value: unknown): boolean {
  const field = record[MODEL].field(name);
  const edits = record[CORE]?.edits;
  if (!field || !edits?.has(field)) return false;
  const written = writeEdits(record, new Map([[field, edits.get(field)]]), record[ROW], true);
  return written.has(field) && isSame(written.get(field), value);
}
