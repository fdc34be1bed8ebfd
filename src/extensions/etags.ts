import { callable, checkOptions } from '../errors/option-rules.js';
import type { Send } from '../extension/call.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import { isAsReceived, noteOf, setNote } from '../extension/row-notes.js';
import { isOrdinaryRequest } from '../model/read.js';
import { isList } from '../operation/operation.js';
import { rowOf } from '../operation/operation-record.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import { bulkEntriesOf } from '../reader/bulk-entries.js';
import { isData } from '../util/data-path.js';
import { KnownAnswers } from './known-answers.js';
import { allowNotModified } from './not-modified.js';

const NAME = 'etags';

/** How `etags()` makes requests conditional. */
export interface EtagsConfig {
  /**
   * Gives what goes into `If-Match` in the place of an ETag; undefined: nothing is sent. Where something on the way weakens ETags, as
   * proxies that compress do: `(etag) => etag.replace('W/', '')`. @default the ETag as the server sent it, weak or not
   */
  ifMatch?: (etag: string) => string | undefined;
}

/** What is noted of a row. */
interface EtagNote {
  readonly etag: string;
  /** Whether it came with the row when the record was asked for as it is, so that it can be asked for again with `If-None-Match`. */
  readonly read?: boolean;
}

/**
 * Keeps the ETags of records, and makes requests conditional: updates and erases carry `If-Match`, so that a server refuses to write
 * over a row that has changed since; reads carry `If-None-Match`, so that a record or a list that has not changed is not sent again.
 * ETags come in the header of an answer about one record, or in rows (`reader: { etagProperty }`), which beats the header.
 * Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { use: [etags()] } }) {}
 * ```
 */
export function etags(config: EtagsConfig = {}): Extension {
  checkOptions(NAME, config, { ifMatch: callable });
  const { ifMatch = (etag: string) => etag } = config;
  // Each proxy has its own lists: those of two users never meet.
  const lists: WeakMap<DataProxy, KnownAnswers> = new WeakMap();
  const listsOf = (proxy: DataProxy) => {
    const known = lists.get(proxy) ?? new KnownAnswers();
    lists.set(proxy, known);
    return known;
  };
  return Object.freeze<Extension>({
    name: NAME,
    layer: LAYERS.etags,
    prepare(request, proxy) {
      const condition = conditionOf(request, proxy, ifMatch);
      if (condition) request.headers = { ...request.headers, ...condition };
    },
    answered: noteEtags,
    async send(call, next) {
      const { request, proxy } = call;
      if (request.action !== 'read') {
        try {
          return await next(call);
        } finally {
          // Lists may be others now, whatever their ETags say (RFC 9111 4.4); so may answers that are still on their way.
          lists.delete(proxy);
        }
      }
      const isPlainList =
        request.named === undefined && isList(request.operation) && call.method === 'GET' && !call.blob;
      const ask: Send = (each) => {
        // Last of all, when it is known whether the request has a condition.
        each.onHeaders.push((headers) => allowNotModified(headers, each.url));
        return next(each);
      };
      return isPlainList ? listsOf(proxy).send(call, ask) : ask(call);
    },
  });
}

/** The header that makes a request conditional on the row that is known. */
function conditionOf(
  { action, bulk, named, operation }: ProxyRequest,
  { reader }: DataProxy,
  ifMatch: (etag: string) => string | undefined,
): Record<string, string> | undefined {
  const [record] = operation.records;
  // A call that is no CRUD is about another resource than the row; one about several rows has no one ETag.
  if (!record || named !== undefined || bulk || action === 'create') return undefined;
  const row = rowOf(record);
  const noted = noteOf(row, NAME) as EtagNote | undefined;
  if (action === 'read') {
    const asks = noted?.read && isAsReceived(row) && isOrdinaryRequest(operation);
    return asks ? { 'If-None-Match': noted.etag } : undefined;
  }
  const known = noted?.etag ?? (isAsReceived(row) ? reader.etagOf(row) : undefined);
  const sent = known && ifMatch(known);
  return sent ? { 'If-Match': sent } : undefined;
}

/** Notes the ETag of each row of an answer; where the answer to a write has none, of the answer. */
function noteEtags({ operation, response, bulk, named }: ProxyRequest, result: ResultSet, { reader }: DataProxy): void {
  const { action, records, id, singleton } = operation;
  // What an earlier answer said of the row still holds.
  if (response?.status === 304) return;
  const isOne = records.length === 1 || id !== undefined || singleton;
  // The header of a list is that of the page, the header of an action that of its own resource.
  const header = (isOne && !bulk && named === undefined && response?.headers.get('ETag')) || undefined;
  // Rows of lists speak for themselves.
  if (action === 'read' && !isOne) return;
  const rows = bulk ? bulkEntriesOf(result, response?.status, reader).map(({ row }) => row) : result.rows;
  for (const row of rows.filter(isData)) {
    const etag = reader.etagOf(row) ?? header;
    // Another question may have another answer under the same ETag, with servers that count versions.
    if (etag) setNote(row, NAME, { etag, ...(action === 'read' && isOrdinaryRequest(operation) && { read: true }) });
  }
  if (header && !isData(result.rows[0])) setNote(result, NAME, { etag: header });
}
