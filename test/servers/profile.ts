import type { AnyDataError, Fields, Filter, RestProxyConfig } from 'repose';
import type { Exchange, RealServer } from '../helpers/servers/index.js';
import type { Host } from './host.js';

/** Values by the names of the model's fields. */
export interface Row {
  readonly [name: string]: unknown;
}
export type Id = string | number;
/** A response of a server, or a part of it. */
// biome-ignore lint/suspicious/noExplicitAny: the options of a profile read it as an application does, which knows its server
export type Answer = any;

/**
 * One server with one configuration of Repose. Each file of `test/servers/profiles` exports one as `profile`; `README.md` beside this
 * file tells how to write one.
 */
export interface ServerProfile {
  /** Name of the server and the way it is addressed, such as 'Django REST Framework, cursors'. */
  readonly title: string;
  /** The version that runs, for the report. */
  version(server: RealServer): string | Promise<string>;
  /** The dialect as the documentation calls it, such as `jsonServer`. */
  readonly dialect: string;
  start(): Promise<RealServer>;
  /**
   * How Repose reaches the resource: an object literal of at most twelve lines, because `docs/servers.md` shows its source. The contract
   * adds `fetch` and `type`.
   */
  proxy(url: string): RestProxyConfig;

  /** The fields of the model, with an `id` or `idProperty`. */
  readonly fields: Fields;
  /** The field of the id. @default 'id' */
  readonly idProperty?: string;
  /** Model options that the server needs, such as `identifier: 'natural'`. */
  readonly model?: object;
  /** All rows with which the server starts, in the order of the list that the server sends without a sorter, as values of the model's fields. */
  readonly rows: readonly object[];
  /** Requests without the library, to look at the server and to change it. */
  readonly access: (url: string) => Access;

  /** Valid values of a new record; `n` is a number that no other record of this run has. Without the id, unless the client gives it. */
  record(n: number): Row;
  /** Valid values of some fields for an update; `n` is another number in each test. */
  edit(n: number): Row;
  /** Whether a request that is no GET reads, such as a POST of a query. @default none does */
  reads?(exchange: Exchange): boolean;
  /** Statuses that successful writes have. @default { create: 201, update: 200, destroy: 204 } */
  readonly statuses?: { readonly create?: number; readonly update?: number; readonly destroy?: number };
  /** Members of rows that the server changes in every write, such as the time of the last change. */
  readonly volatile?: readonly string[];
  /** The values of fields in a body that the library sent, without the wrapper of the dialect. @default the body */
  sentFields?(body: unknown): unknown;
  /** Milliseconds that one check may take. @default 30000 */
  readonly timeout?: number;

  /** Facts for checks. A check whose facts are missing needs a reason in `without`. */
  readonly facts: Facts;
  /** Checks that this server cannot pass, each with the reason. The reason is shown in `docs/servers.md`. */
  readonly without?: Partial<Record<CheckName, string>>;
  /** Facts that users must know beside the reasons in `without`; shown in `docs/servers.md`. */
  readonly notes?: readonly string[];
  /** Further checks of this server alone. They run last. */
  more?(host: Host, test: (title: string, body: () => Promise<void>) => void): void;
}

export interface Facts {
  /** Rows per page; the rows of the server must make at least three pages, the last one short. 0: the server knows no pages. @default 25 */
  readonly pageSize?: number;
  /** An id that no record has. */
  readonly missingId: Id;
  /** The error for an id that no record has, of read, update and erase. @default { code: 'http', status: 404 } */
  readonly missing?: Partial<Record<'read' | 'update' | 'destroy', object>>;
  /** A field that holds null in some row. */
  readonly nullField?: string;
  /** A field whose values all differ, to sort by. */
  readonly sortBy?: string;
  /** A field with equal values in several rows, to sort by before `sortBy`. */
  readonly groupBy?: string;
  /** Compares two values as the server sorts them. @default by code units */
  compare?(a: unknown, b: unknown): number;
  /** A filter that some rows pass, but not all. */
  readonly filter?: Filter;
  /** Filters that together one row passes, one of them with a text that has to be encoded. */
  readonly encoded?: readonly Filter[];
  /** A filter that no row passes. */
  readonly none?: Filter;
  /** Filters by operator, or lists that must all hold; the server must select the rows that the library would select. */
  readonly operators?: Readonly<Record<string, Filter | readonly Filter[]>>;
  /** A filter that the dialect refuses to send. */
  readonly refused?: Filter;
  /** A search, and the ids that it finds. */
  readonly search?: { readonly text: string; readonly ids: readonly Id[] };
  /** Values that make a record invalid, and the fields that the server complains about. */
  readonly invalid?: { readonly values: Row; readonly fields: readonly string[]; readonly error?: object };
  /** A member of rows that the server knows and that the smaller model does not declare, and the field that this model does declare. */
  readonly undeclared?: { readonly field: string; readonly declared: string };
  /** The options needed to notice that another client changed the record, and the error. @default { error: { code: 'conflict' } } */
  readonly stale?: { readonly proxy?: RestProxyConfig; readonly error?: Partial<AnyDataError> };
  /** Ids that the client gives; the values of a record with this id come from `record`. */
  readonly oddIds?: {
    readonly ids: readonly Id[];
    readonly record?: (id: Id) => Row;
    /** Changes of the proxy; a `url` stands behind the origin of the server. */
    readonly proxy?: RestProxyConfig;
    /** Requests without the library, if these records have other addresses. */
    readonly access?: (url: string) => Access;
    readonly model?: object;
  };
  /** A field with a number that JavaScript would round, and its digits. A record with it is made without the library. */
  readonly longNumber?: { readonly field: string; readonly digits: string; readonly body: (n: number) => string };
  /** The suffix that the server knows, such as `json`, and how the proxy changes for it. */
  readonly suffix?: { readonly format: string; readonly proxy?: RestProxyConfig };
  /** How the server takes several records in one request, and the actions it can do so. */
  readonly bulk?: { readonly proxy: RestProxyConfig; readonly actions: readonly ('create' | 'update' | 'destroy')[] };
  /** A field that takes a file. */
  readonly file?: {
    readonly field: string;
    /** Valid values of a new record, without the file. @default those of `record` */
    readonly record?: () => Row;
    /** Changes of the proxy, such as `use: [formBodies()]`; a `url` stands behind the origin of the server. */
    readonly proxy?: RestProxyConfig;
    readonly model?: object;
    /** Gets the value that the server sent for the field, and the text of the file. */
    check(value: unknown, text: string): void | Promise<void>;
  };
}

/** Requests to a server without the library. */
export interface Access {
  /** The row as the server has it, as values of the model's fields, other members by the server's names; undefined if it does not exist. */
  read(id: Id): Promise<Record<string, unknown> | undefined>;
  /** Changes a row, as another client would. */
  change(id: Id, values: Row): Promise<void>;
  remove(id: Id): Promise<void>;
  /** Creates a row from JSON text, and returns its id. Needed for `longNumber`. */
  create?(body: string): Promise<Id>;
  /** The text of a row, with every digit. Needed for `longNumber`. */
  text?(id: Id): Promise<string>;
}

/** The checks of the contract, with the sentence that is the title of their test. */
export const CHECKS = {
  read: 'loads one record by its id',
  null: 'reads null from the server',
  missing: 'reports an id that does not exist',
  page: 'loads page after page',
  total: 'tells how many records there are',
  more: 'loads further rows until the end of the list',
  sort: 'sorts by one field in descending order',
  multiSort: 'sorts by two fields, each in its direction',
  filter: 'filters by a field',
  encoded: 'filters by several fields, one of them a text that has to be encoded',
  operators: 'selects the rows that the same filters select locally',
  empty: 'loads an empty list',
  search: 'searches',
  refused: 'sends no request for a filter that the dialect cannot express',
  suffix: 'addresses by the format suffix',
  create: 'creates a record and takes the id that the server chose',
  location: 'reads the id from Location if the response has no body',
  invalidCreate: 'reports the fields of an invalid new record',
  put: 'updates by PUT with the whole row as it was received, with the edit',
  undeclared: 'keeps members that the model does not declare in an update by PUT',
  patch: 'updates by PATCH with the edited fields alone',
  missingUpdate: 'reports an update of a record that is gone, and keeps the edit',
  invalidUpdate: 'reports the field of an invalid edit, and keeps the edit',
  stale: 'reports an update of a record that another client changed',
  erase: 'erases a record',
  missingErase: 'reports an erase of a record that is gone',
  noContent: 'takes an empty response to a write for a success',
  oddIds: 'creates, reads, updates and erases records with odd ids',
  longNumber: 'keeps every digit of long numbers',
  file: 'uploads a file',
  sync: 'writes new, edited and removed records in one sync',
  syncFailure: 'reports the record that failed in a sync, and writes the others',
  bulk: 'writes several records in one request',
} as const;
export type CheckName = keyof typeof CHECKS;
