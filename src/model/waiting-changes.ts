import { MODEL } from '../operation/operation-record.js';
import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { type Change, viewOf } from './change.js';
import type { FieldDefinition } from './field-definition.js';
import { cachedValue, coreOf, type InnerRecord, isBase, rebase, type SentValues, writeEdits } from './record.js';
import { ROW } from './symbols.js';

// The rest of the changes that wait behind a write, after that write has succeeded.

/** The values of a write that has succeeded, and when they were captured. */
export type SettledValues = SentValues & Pick<Change, 'at'>;

/**
 * The values that a write has sent, and the embedded records that it has left as they were: a create sends those with which the record was made
 * without an edit of them, and it is by the answer to it that they get their ids. Called while the row of the record has the sent values.
 */
export function knownValues(record: InnerRecord, { at, written, live }: SettledValues): SettledValues {
  const { [MODEL]: model, [ROW]: row } = record;
  const others = model.fields.filter((field) => field.embedding && field.raw(row) !== undefined && !written.has(field));
  return {
    at,
    written: new Map([...written, ...others.map((field) => [field, field.raw(row)] as const)]),
    live: new Map([...live, ...others.map((field) => [field, cachedValue(record, field)] as const)]),
  };
}

/**
 * The rest of a waiting change after another write of the record has succeeded, whose row the record has now. Values that the other write has
 * sent are left out; so are older values of fields for which it has sent newer ones. `before`: the row with the sent values in it.
 */
export function waitingAfter(
  record: InnerRecord,
  waiting: Change,
  settled: Pick<Change, 'at' | 'written'>,
  before: Data,
  known: SentValues,
): Change {
  const view = viewOf(record, { ...waiting, base: before });
  const { edits = new Map<FieldDefinition, unknown>() } = coreOf(view);
  // Embedded records that both changes share take the row of the answer, and with it their ids.
  const shared = [...edits].map(
    ([field, copy]) => [field, sharedValue(waiting.live.get(field), copy, known.live.get(field))] as const,
  );
  rebase(view, record[ROW], { written: known.written, live: new Map(shared) });
  const left = new Map(
    [...(coreOf(view).edits ?? [])].filter(([field, value]) => {
      const { written } = settled;
      const isSent =
        written.has(field) && (settled.at > waiting.at || isSame(written.get(field), waiting.written.get(field)));
      return !isSent && !isBase(view, field, value);
    }),
  );
  return Object.freeze({ ...waiting, edits: left, base: view[ROW], written: writeEdits(view, left) });
}

/** The part of a settled value that a waiting change also has: of a list, the copies of the shared records, in the order of the settled list. */
function sharedValue(waiting: unknown, copy: unknown, settled: unknown): unknown {
  if (waiting === settled) return copy;
  if (!Array.isArray(waiting) || !Array.isArray(copy) || !Array.isArray(settled)) return undefined;
  const copyOf = new Map(waiting.map((each, at) => [each as unknown, copy[at] as unknown]));
  return settled.map((each) => copyOf.get(each));
}
