import type { BaseModel } from '../model/base-model.js';
import type { PagingState } from '../store/paging.js';

/** The ETag of a row, as `etags()` notes it. */
export interface RenderedEtag {
  readonly etag: string;
  /** Whether a plain read brought it, which may be repeated with `If-None-Match`. */
  readonly read?: boolean;
  /** Whether the row has changed since the ETag was received. */
  readonly changed?: boolean;
}

/** The rows of one class. */
export interface RenderedModel {
  /** The name of its model. */
  readonly model: string;
  /**
   * Identifies the address of the class and the parameters of its proxy. Undefined: the application has named the class, so a class of
   * the page belongs to it by that name, whatever its address is.
   */
  readonly place?: string | undefined;
  /** The rows as the server sent them, undeclared members included. */
  readonly rows: readonly object[];
  /** ETags by the ids of the rows, where `etags()` is used. */
  readonly etags: Readonly<Record<string, RenderedEtag>>;
  /** The ids of rows that lack members, so that a PUT has to read the row first. */
  readonly incomplete: readonly string[];
}

/** The list that one store showed. */
export interface RenderedQuery {
  /** The name of the class in `models`. */
  readonly model: string;
  /** Identifies what the store had asked for: its address, filters, sorters, page size and parameters. */
  readonly key: string;
  /** The ids of the rows, in the order of the server. */
  readonly ids: readonly string[];
  /** How far the collection was read: page, total, next rows. */
  readonly paging: PagingState<BaseModel>;
}

/** The data of a session, for the page that was rendered from it. Its form may change with a new `v`. */
export interface RenderedState {
  readonly v: 2;
  /** When the state was made, in milliseconds since 1970. */
  readonly at: number;
  /** The rows of each class, by the name that `dehydrate` was given for it, else by the name of its model. */
  readonly models: Readonly<Record<string, RenderedModel>>;
  readonly queries: readonly RenderedQuery[];
}
