import { isData } from '../util/data-path.js';

/** The knowledge of a library about the row that it updates. */
export interface UpdateBasis {
  /** The values before, which the library got with the row; undefined: it does not say. */
  readonly before: object | undefined;
  /** Whether the values are written whatever the row has now. */
  readonly overwrites: boolean;
}

/** The options that a call of a library adds to its requests. */
export interface CallRequest {
  readonly params?: Record<string, unknown>;
  readonly pathParams?: Record<string, string | number>;
  readonly headers?: Record<string, string>;
  /** The fields that the rows should have. */
  readonly fields?: readonly never[];
  readonly signal?: AbortSignal;
}

/** The members of `meta` that a data provider takes; the library and its plug-ins have others. */
export interface ProviderMeta {
  /** Query parameters of the requests; they replace those of the proxy with the same name. @default {} */
  params?: Record<string, unknown>;
  /** Values for the `{name}`s of the proxy's `url`. @default {} */
  pathParams?: Record<string, string | number>;
  /** Headers of the requests. @default {} */
  headers?: Record<string, string>;
  /** The fields that the rows of a list, or the record, should have. @default all */
  fields?: readonly string[];
  /** The text to search for. @default '' */
  search?: string;
  /** More filters of a list, as a store takes them: `[where(Order).total.gt(100)]`. @default [] */
  filters?: readonly object[];
  /** For an update: the values before, if the library does not give them. What differs from them is saved. @default the row that was read last */
  previousData?: object;
  /** For an update: writes the values whatever the server has by now. @default false */
  overwrite?: boolean;
}

/** The options of requests in the `meta` of a call. */
export function requestOfMeta(meta: unknown, signal: AbortSignal | undefined): CallRequest {
  const { params, pathParams, headers, fields } = (isData(meta) ? meta : {}) as ProviderMeta;
  return {
    ...(params && { params }),
    ...(pathParams && { pathParams }),
    ...(headers && { headers }),
    ...(Array.isArray(fields) && { fields: fields as readonly string[] as readonly never[] }),
    ...(signal && { signal }),
  };
}

/** The filters and the text to search for in the `meta` of a call. */
export function queryOfMeta(meta: unknown): { readonly search?: string; readonly filters: readonly object[] } {
  const { search, filters = [] } = (isData(meta) ? meta : {}) as ProviderMeta;
  return { filters, ...(search !== undefined && { search }) };
}

/** The values before, and how to write, in the `meta` of an update. `previousData` is what the library says. */
export function basisOfMeta(meta: unknown, previousData?: object): UpdateBasis {
  const given = (isData(meta) ? meta : {}) as ProviderMeta;
  return { before: previousData ?? given.previousData, overwrites: given.overwrite ?? false };
}
