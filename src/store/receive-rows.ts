import { fieldHint } from '../dev/checks.js';
import { StateError } from '../errors/mistakes.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { coreOf, type InnerRecord, inner } from '../model/record.js';
import type { RecordListeners } from '../model/record-core.js';
import type { WrittenRows } from '../model/record-owner.js';
import { nextTime, settleErased } from '../model/settle.js';
import { ROW } from '../model/symbols.js';
import { compareValues, createPredicate, rowReader } from '../operation/local-query.js';
import { MODEL } from '../operation/operation-record.js';
import { conditionsOf } from '../operation/query-parts.js';
import { ResultSet } from '../operation/result-set.js';
import type { Data } from '../util/data-path.js';
import { Notifier } from '../util/notifier.js';
import { isPlainObject, isSame, isTooDeep, MAX_DEPTH } from '../util/values.js';
import { hasPending } from './gone-record.js';
import { idKeyOf } from './id-index.js';
import type { InnerStore } from './inner-store.js';
import { copyRow, takeUnshown } from './page-reader.js';
import type { StaleReason } from './status-feed.js';
import type { ReceiveOptions } from './store-config.js';

/** Rows that came from elsewhere, checked. */
export interface ReceivedRows {
  /** When they came, on the clock of the model. */
  readonly startedAt: number;
  readonly rows: readonly Data[];
  readonly removed: readonly unknown[];
  /** Whether a row is older than another row of its record. Rows without versions are never older. */
  isOlder(row: Data, other: Data): boolean;
}

/**
 * The members of a store that receives rows. `holdsAll` is true too where every new row has a place in its part of the collection, and
 * `sentQuery` is the part of the query that the server has applied to the rows on show.
 */
export type ReceivingStore<M extends Model> = Pick<
  InnerStore<M>,
  'recordSet' | 'pageReader' | 'definition' | 'holdsAll' | 'sentQuery' | 'scope'
> & {
  /** Whether rows may lack fields that the server has. */
  readonly isIncomplete: boolean;
};

/** Checks rows and ids. Throws `StateError` for what is no row, and for a row without an id, before anything is changed. */
export function checkReceived<M extends Model>(
  rows: readonly object[],
  { removed = [], version }: ReceiveOptions<M>,
  model: ModelDefinition,
): ReceivedRows {
  const { name, messages } = model;
  const refuse = (reason: 'received-row' | 'received-id' | 'received-removed') =>
    new StateError('foreign', reason, { model: name }, { messages });
  if (!Array.isArray(rows) || !rows.every((row) => isPlainObject(row) && !(MODEL in row))) throw refuse('received-row');
  if (rows.some((row) => isTooDeep(row)))
    throw new StateError('foreign', 'foreign-depth', { most: MAX_DEPTH }, { messages });
  if (!(rows as readonly Data[]).every((row) => isId(model.rowId(row), model))) throw refuse('received-id');
  if (!Array.isArray(removed) || !removed.every((id) => isId(id, model))) throw refuse('received-removed');
  const field = typeof version === 'string' ? model.field(version) : undefined;
  if (typeof version === 'string' && !field)
    throw new StateError(
      'field',
      'field-unknown',
      { field: version, model: name, hint: fieldHint(version, model.fields) },
      { messages },
    );
  const versionOf = typeof version === 'function' ? version : (row: Data) => field?.readExact(field.raw(row));
  const isOlder = (row: Data, other: Data) => {
    const [mine, theirs] = [versionOf(row), versionOf(other)];
    return mine !== undefined && theirs !== undefined && compareValues(mine, theirs) < 0;
  };
  if (version)
    model.isOlder = (row, other) => {
      try {
        return isOlder(row, other);
      } catch {
        // The answer to a save may have another form than the rows for which the function was written.
        return false;
      }
    };
  const newest = new Map<unknown, Data>();
  for (const row of rows as readonly Data[]) {
    const id = idKeyOf(model.rowId(row));
    const before = newest.get(id);
    if (!before || !isOlder(row, before)) newest.set(id, row);
  }
  return { startedAt: nextTime(model), removed, isOlder, rows: [...newest.values()].map(copyRow) };
}

/**
 * Why a list may lack a row after it has received rows, or show one that does not belong to it or stands in another place; undefined: it does
 * not.
 */
export function staleReasonOf<M extends Model>(
  store: ReceivingStore<M>,
  received: ReceivedRows,
): StaleReason | undefined {
  const { pageReader, definition, holdsAll } = store;
  if (holdsAll) return undefined;
  for (const after of received.rows) {
    const record = pageReader.find(definition.rowId(after));
    const before = record && inner(record)[ROW];
    const isNewer = !isKnownNewer(received, after, record);
    const reason = isNewer ? reasonOfChange(store, { before, after }, record !== undefined) : undefined;
    if (reason) return reason;
  }
  return received.removed.some((id) => !pageReader.find(id)) ? 'unknownRemoved' : undefined;
}

/** Whether a list has a place for each row of its part of the collection. */
export function placesAll<M extends Model>({ scope, holdsAll }: Pick<InnerStore<M>, 'scope' | 'holdsAll'>): boolean {
  return scope.placesAll || holdsAll;
}

/**
 * Why a list that the server has sorted and filtered may lack a row, or show it where it does not belong, after the row was written here or came
 * from elsewhere; undefined: it does not. `before` is the row as it was known; `isListed`: the list holds its record.
 */
export function reasonOfChange<M extends Model>(
  list: Pick<InnerStore<M>, 'definition' | 'sentQuery' | 'scope' | 'holdsAll'>,
  { before, after }: WrittenRows,
  isListed: boolean,
): StaleReason | undefined {
  const isSameRow = before !== undefined && after !== undefined && isSame(before, after);
  if (placesAll(list) || isSameRow || (isListed && !after)) return undefined;
  const { definition } = list;
  const { sorters = [], groupers = [], filters = [], search = '' } = list.sentQuery ?? {};
  const conditions = filters.flatMap(conditionsOf);
  const fieldOf = ({ property = '' }: { readonly property?: string | undefined }) => definition.field(property);
  /** Whether the filters let a row pass; undefined if a value that it does not have, or a name that only the server knows, may be anything. */
  const passesOf = (row: Readonly<Data>): boolean | undefined => {
    if (!conditions.every((each) => fieldOf(each)?.raw(row) !== undefined)) return undefined;
    return createPredicate(filters, rowReader(definition))?.(row) ?? true;
  };
  const passes = passesOf(after ?? (before as Readonly<Data>));
  // A row that was on another page of the list has left it.
  if (!isListed && passes === false)
    return before && after && passesOf(before) !== false ? 'unknownRemoved' : undefined;
  if (!after) return 'unknownRemoved';
  const names = [...sorters, ...groupers, ...(isListed && passes ? [] : conditions)];
  const isMoved =
    search !== '' ||
    names.some((each) => {
      const field = fieldOf(each);
      return !field || !before || !isSame(field.raw(before), field.raw(after));
    });
  if (isListed) return isMoved ? 'movedRow' : undefined;
  return isMoved || !before ? 'unknownRow' : undefined;
}

/**
 * Takes rows that were pushed, or came with another call: known records get them as after a read, under their edits. A new row gets a place only
 * if the store has all rows; otherwise nobody knows whether, and where, it belongs. Returns the records that the store holds.
 */
export function receiveRows<M extends Model>(store: ReceivingStore<M>, received: ReceivedRows): readonly M[] {
  const { recordSet, pageReader, definition, holdsAll, isIncomplete } = store;
  const { startedAt } = received;
  const find = (row: Data) => pageReader.find(definition.rowId(row));
  const rows = received.rows.filter((row) => !isKnownNewer(received, row, find(row)));
  // A session gives its records of rows that the store does not show.
  recordSet.observers.tell('rowsComing', [...rows], startedAt);
  const page = { result: new ResultSet({ rows }), startedAt, incomplete: isIncomplete };
  const taken = takeUnshown(pageReader, holdsAll ? rows : rows.filter(find), page);
  const unplaced = holdsAll ? taken.filter((record) => !recordSet.isInPlace(record) && !recordSet.hidden(record)) : [];
  recordSet.findCopies(unplaced);
  if (unplaced.length > 0) recordSet.placeNew(undefined, unplaced);
  for (const record of taken) recordSet.release(record);
  for (const id of received.removed) removeReceived(pageReader.find(id));
  return taken.filter((record) => recordSet.holds(record));
}

/** Puts received rows in the places of those that a response has for the same records, if its read began before they came. */
export function putReceived(
  rows: Data[],
  startedAt: number,
  all: readonly ReceivedRows[],
  definition: ModelDefinition,
): void {
  const later = all.filter((received) => received.startedAt > startedAt);
  if (later.length === 0) return;
  const places = new Map(rows.map((row, at) => [idKeyOf(definition.rowId(row)), at]));
  for (const received of later)
    for (const row of received.rows) {
      const at = places.get(idKeyOf(definition.rowId(row)));
      if (at !== undefined && !received.isOlder(row, rows[at] as Data)) rows[at] = copyRow(row);
    }
}

/** Whether a value is an id that a row of a server may have. */
function isId(id: unknown, { idParts }: ModelDefinition): boolean {
  if (idParts) return Array.isArray(id) && id.length === idParts.length && id.every(isSingleId);
  return isSingleId(id);
}

function isSingleId(id: unknown): boolean {
  const isOther = typeof id === 'boolean' || Array.isArray(id) || isPlainObject(id);
  return !isOther && idKeyOf(id) !== undefined;
}

/** Whether the row that a record has is newer than a received one. */
export function isKnownNewer({ isOlder }: ReceivedRows, row: Data, record: Model | undefined): boolean {
  return record !== undefined && isOlder(row, inner(record)[ROW]);
}

/**
 * Takes the erase of a record from elsewhere. One with changes or a write stays: its save tells that the row is gone. If its changes are taken
 * back instead, it is erased then.
 */
export function removeReceived(record: Model | undefined): void {
  if (!record || record.phantom || record.erased) return;
  if (!hasPending(record)) return settleErased(inner(record));
  const core = coreOf(inner(record));
  core.listeners ??= new Notifier();
  if (!core.listeners.all.some(isGoneWatch)) new GoneWatch(inner(record), core.listeners);
}

/** Whether a listener to a record only waits for the end of its changes, and shows nothing. */
export function isGoneWatch(listener: object): boolean {
  return listener instanceof GoneWatch;
}

/** Waits until a record whose row is gone has no changes any more. */
class GoneWatch implements RecordListeners {
  private readonly row: Data;
  private readonly stop: () => void;

  constructor(
    private readonly record: InnerRecord,
    listeners: Notifier<RecordListeners>,
  ) {
    this.row = record[ROW];
    this.stop = listeners.attach(this);
  }

  changed(): void {
    const { record } = this;
    // With another row, the server has it again: it was written, or read.
    const isOver = record.erased || record[ROW] !== this.row;
    if (!isOver && hasPending(record)) return;
    this.stop();
    if (!isOver) settleErased(record);
  }
}
