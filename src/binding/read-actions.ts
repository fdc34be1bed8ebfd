import type { Active, Listed, Loadable } from '../store/shown.js';
import type { Source } from '../util/value-source.js';
import { activeIn, listedIn } from './hook-arguments.js';
import { joinedSource, withActions } from './owned.js';
import { reportMistake } from './report-mistake.js';

/** The loads of a store or window for the listeners of buttons. They never reject: `error` of the status says why one has failed. */
export interface ReloadActions {
  /** Loads what is shown again. Resolves with whether that succeeded. */
  readonly reload: () => Promise<boolean>;
  /** Repeats the request that failed last, and no other. Resolves with whether nothing is left that failed. */
  readonly retry: () => Promise<boolean>;
}

/** The loads of a store for the listeners of buttons. */
export interface LoadActions extends ReloadActions {
  /** Loads the next rows and appends them, if there may be more. Resolves with whether that succeeded. */
  readonly loadMore: () => Promise<boolean>;
  /** Loads the page with a number; the first page is 1. Resolves with whether that succeeded. */
  readonly loadPage: (page: number) => Promise<boolean>;
}

/** A window: it can load what it shows again. */
export interface Reloadable {
  readonly status: Source<{ readonly error: unknown }>;
  reload(): Promise<unknown>;
  retry(): Promise<unknown>;
}

/** A store: it can load further pages as well. */
export interface Pageable extends Reloadable {
  loadMore(): Promise<unknown>;
  load(options: { readonly page: number }): Promise<unknown>;
}

/** Something that a screen shows, with the loads that it has for buttons: all of them for a store, none for a view. */
export type LoadActionsOf<C> = C extends Pageable ? LoadActions : C extends Reloadable ? ReloadActions : unknown;

/** Makes the loads of a store or window for a screen; none for anything else. */
export function loadActionsOf<C>(owner: C): LoadActionsOf<C> {
  const { reload, retry, loadMore } = owner as Partial<Pageable>;
  if (!reload || !retry) return {} as LoadActionsOf<C>;
  const store = owner as Pageable;
  const end = (load: Promise<unknown>) => settled(load, () => store.status.get().error);
  const actions: ReloadActions = { reload: () => end(store.reload()), retry: () => end(store.retry()) };
  const paging = { loadMore: () => end(store.loadMore()), loadPage: (page: number) => end(store.load({ page })) };
  return (loadMore ? { ...actions, ...paging } : actions) as LoadActionsOf<C>;
}

/** The list of a store, view or window on a screen, with the loads of a store or window. */
export type ListBinding<C> = (C extends Listed<infer L> ? L : never) & LoadActionsOf<C>;

/** The status of something active on a screen, with the loads of a store or window. */
export type StatusBinding<A> = (A extends Active<infer S> ? S : never) & LoadActionsOf<A>;

/** Makes the source of a list with the loads of its store or window. Throws `DefinitionError` for a value without a list. */
export function listSource<C extends Listed<unknown>>(collection: C): Source<ListBinding<C>> {
  const { list } = listedIn(collection);
  const actions = loadActionsOf<C>(collection) as object;
  if (Object.keys(actions).length === 0) return list as Source<ListBinding<C>>;
  // A list has methods of its class, which are no members of its own.
  const bind = (now: unknown) => Object.freeze(Object.assign(Object.create(now as object), actions)) as ListBinding<C>;
  return joinedSource([list], bind);
}

/** Makes the source of a status with the loads of its store or window. Throws `DefinitionError` for a value without a status. */
export function statusSource<A extends Active<unknown>>(active: A): Source<StatusBinding<A>> {
  const { status } = activeIn(active);
  return withActions(status as Source<object>, loadActionsOf<A>(active) as object) as Source<StatusBinding<A>>;
}

/**
 * Resolves with whether a load succeeds. A mistake of the program, which no status shows, is reported as an error that nobody has caught.
 */
export async function settled(load: Promise<unknown>, shownError: () => unknown): Promise<boolean> {
  try {
    await load;
    return true;
  } catch (error) {
    if (shownError() !== error) reportMistake(error);
    return false;
  }
}

/** The first load of a store: the one in flight, else one that begins now; undefined if the store has loaded. */
export function firstLoad(store: Loadable<unknown>): Promise<unknown> | undefined {
  const { loaded, loading } = store.status.get();
  if (loaded) return undefined;
  // Not `ready` alone: it does not tell that a load could not be sent.
  return loading ? store.ready : store.load();
}
