import type { Model } from '../model/model.js';
import type { SharingStore } from '../store/sharing.js';
import type { StaleReason } from '../store/status-feed.js';
import type { Store } from '../store/store.js';
import { plainOf, plainValues } from './plain-values.js';
import type { Plain, PlainValues } from './recording.js';
import type { InspectedOutbox } from './targets.js';
import { shownStore } from './targets.js';

/** A store at one moment. */
export interface StoreState {
  /** Counts the stores in the order in which the inspector has met them, from 1. */
  readonly number: number;
  readonly model: string;
  /** The query of the store as plain data. */
  readonly query: PlainValues;
  /** Number of records in the store. */
  readonly records: number;
  /** Number of rows of the whole list; undefined: it is not known. */
  readonly total: number | undefined;
  /** The part of the list that is loaded, in words. */
  readonly loadedPart: string;
  readonly loading: boolean;
  readonly pending: number;
  readonly queued: number;
  /** Why the list is stale, in words; undefined: it is not. */
  readonly stale: string | undefined;
  /** The message of the load that failed last; undefined: it did not fail. */
  readonly error: string | undefined;
}

/** An outbox at one moment. */
export interface OutboxState {
  readonly scope: string;
  readonly waiting: number;
  readonly sending: number;
  readonly online: boolean;
  readonly paused: boolean;
  /** The message of the last problem; undefined: there is none. */
  readonly error: string | undefined;
  /** The first 200 of the writes that it keeps. */
  readonly entries: readonly OutboxEntryState[];
  /** Number of further writes that are not in `entries`. */
  readonly moreEntries: number;
}

/** A write that an outbox keeps. */
export interface OutboxEntryState {
  readonly key: string;
  readonly model: string;
  readonly action: string;
  readonly id: Plain;
  /** How it stands, in words. */
  readonly state: string;
  readonly attempts: number;
  readonly values: PlainValues;
  /** Why it needs a decision. */
  readonly error: string | undefined;
}

const STALE: Readonly<Record<StaleReason, string>> = {
  gap: 'Changes of the server may have been missed, for example while the connection was lost',
  unknownRow: 'A row was received that the list does not hold: only the server knows whether and where it belongs',
  movedRow:
    'A received row has changed in a field by which the list is sorted or filtered: it may stand in another place',
  unknownRemoved: 'A record is gone that the list does not hold, so the number of rows may be wrong',
  count: 'Records were erased: the page lacks rows, or only the server knows whether they count for this list',
  fewerRows:
    'The total of the server counts rows that stand on no page: fewer rows came than were asked for, rows came twice, or somebody else has erased some',
};

/** The state of a store. Listens to nothing, and loads nothing. */
export function storeState(store: SharingStore, number: number): StoreState {
  const state = shownStore(store);
  const { pending, queued, loading, error, total, staleReason } = state.status.get();
  return {
    number,
    model: store.definition.name,
    query: queryOf(state),
    records: state.count,
    total,
    loadedPart: loadedPart(store),
    loading,
    pending,
    queued,
    stale: staleReason && STALE[staleReason],
    error: error?.message,
  };
}

/** Functions and collators cannot be JSON, so a query that has some is copied member by member. */
function queryOf({ query }: Store<Model>): PlainValues {
  try {
    return plainValues(query.toJSON());
  } catch {
    const { sorters, filters, groupers, search, fields } = query;
    const parts = Object.entries({ sorters, filters, groupers, search, fields });
    return plainValues(Object.fromEntries(parts.filter(([, value]) => value && value.length > 0)));
  }
}

function loadedPart(store: SharingStore): string {
  const state = shownStore(store);
  const { loaded } = state.status.get();
  const { holdsAll, pageSize, currentPage, count, total, hasMore } = state;
  const windows = store.recordSet.observers.having('shownPart').map((part) => part.shownPart());
  const ofWindows = windows.map(({ start, end, held }) => `a window shows rows ${start} to ${end} and holds ${held}`);
  const rest = hasMore ? '; the server has more' : '';
  const ofTotal = total === undefined ? '' : ` of ${total}`;
  if (!loaded) return [windows.length > 0 ? '' : 'nothing was loaded yet', ...ofWindows].filter(Boolean).join('; ');
  const list = holdsAll
    ? `all ${count} rows`
    : pageSize > 0
      ? `page ${currentPage} of ${pageSize} rows each, ${count}${ofTotal} rows${rest}`
      : `${count}${ofTotal} rows${rest}`;
  return [list, ...ofWindows].join('; ');
}

/** Most writes of an outbox that are shown. */
const MOST_ENTRIES = 200;

const ENTRY_STATES: Readonly<Record<string, string>> = {
  queued: 'waits to be sent',
  failed: 'was refused, and needs a decision',
  unconfirmed: 'may have been created: it needs a decision',
  held: 'waits for the record that it refers to',
  unreadable: 'cannot be read',
};

export function outboxState(outbox: InspectedOutbox): OutboxState {
  const { waiting, sending, online, paused, error } = outbox.status.get();
  const failures = new Map(outbox.failed.map((failure) => [failure.key, failure]));
  const all = outbox.entries;
  const entries = all.slice(0, MOST_ENTRIES).map((entry): OutboxEntryState => {
    const {
      key = '',
      model,
      action,
      id,
      values,
      base,
      state,
      attempts = 0,
    } = entry as Readonly<Record<string, unknown>> & { readonly key?: string; readonly attempts?: number };
    const failure = failures.get(String(key));
    const shown = failure?.state ?? String(state);
    return {
      key: String(key),
      model: String(model),
      action: String(action),
      id: plainOf(id),
      state: ENTRY_STATES[shown] ?? shown,
      attempts,
      values: plainValues(action === 'destroy' ? base : values),
      error: failure?.error.message,
    };
  });
  return {
    ...{ scope: outbox.scope, waiting, sending, online, paused, entries },
    moreEntries: all.length - entries.length,
    error: error instanceof Error ? error.message : undefined,
  };
}
