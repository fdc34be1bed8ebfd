import { isData } from '../util/data-path.js';

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
