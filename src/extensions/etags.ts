import { checkOptions } from '../dev/checks.js';
import { callable, oneOf } from '../errors/option-rules.js';
import type { Extension, Send } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import { isAsReceived, setNote } from '../extension/row-notes.js';
import type { Write, WriteStep } from '../extension/write-hook.js';
import { isOrdinaryRequest } from '../model/call.js';
import { isList, type Operation } from '../operation/operation.js';
import { rowOf } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { bulkEntriesOf } from '../reader/bulk-entries.js';
import { isData } from '../util/data-path.js';
import { AnswerCache, allowNotModified } from './answer-cache.js';
import { ETAGS, etagNote, knownTag, UnknownTags } from './unknown-tag.js';

/** Options of {@link etags}. */
export interface EtagsConfig {
  /**
   * Returns the value of `If-Match` for an ETag; undefined sends no `If-Match`. Use `(etag) => etag.replace('W/', '')` if something on
   * the way to the server weakens ETags, as compressing proxies do. @default the ETag as the server sent it, weak or not
   */
  ifMatch?: (etag: string) => string | undefined;
  /**
   * The way of an update or erase of a row whose ETag is unknown, such as a row of a list. `'read'`: the row is read before. If it has
   * changed since in an edited field, in any field if the request sends the row whole, or in any known member if it erases the row, the
   * write is a `ConflictError`, and nothing is sent; else the write carries the ETag that was read. A server whose reads bring no ETag is
   * asked only once. `'send'`:
   * the write is sent without a condition, and replaces what somebody else has saved since. @default 'read'
   */
  unknown?: 'read' | 'send';
}

/**
 * Keeps the ETags of records and makes requests conditional. Updates and erases carry `If-Match`, so that a server refuses to write over a
 * row that has changed since it was read; a row whose ETag is unknown, such as a row of a list, is read before (`unknown`). Reads carry
 * `If-None-Match`, so that the server need not send an unchanged record or list again. The ETag comes from the header of a response about
 * one record, or from the row (`reader: { etagProperty }`); the row takes precedence. Throws `DefinitionError` for wrong options.
 *
 * Reads are cheaper by a 304: of a known record, and of the last twenty lists of the proxy with the same address and headers, until it
 * writes. Neither streams nor answers that vary by cookies are remembered. A 304 to anything else is a `ReadError`. With `batchActions`, a
 * record with a known ETag is sent in a request of its own.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { use: [etags()] } }) {}
 * ```
 */
export function etags(config: EtagsConfig = {}): Extension {
  checkOptions(ETAGS, config, { ifMatch: callable, unknown: oneOf('read', 'send') });
  const { ifMatch = (etag: string) => etag, unknown = 'read' } = config;
  const unknownTags = new UnknownTags();
  // Cached answers belong to one proxy, so that the lists of two users are never mixed.
  const caches: WeakMap<DataProxy, AnswerCache> = new WeakMap();
  const cacheOf = (proxy: DataProxy) => {
    const cache = caches.get(proxy) ?? new AnswerCache();
    caches.set(proxy, cache);
    return cache;
  };
  return Object.freeze<Extension>({
    name: ETAGS,
    layer: LAYERS.etags,
    prepare(request, proxy) {
      const condition = conditionOf(request, proxy, ifMatch);
      if (condition) request.headers = { ...request.headers, ...condition };
    },
    ...(unknown === 'read' && { write: (write: Write, next: WriteStep) => unknownTags.write(write, next) }),
    answered(request, result, proxy) {
      noteEtags(request, result, proxy);
      const [row] = result.rows;
      const { action, operation, response, named } = request;
      const isSingleRead = action === 'read' && named === undefined && isSingle(operation) && response?.status !== 304;
      if (isSingleRead && isData(row)) unknownTags.noteRead(proxy, knownTag(row, proxy) !== undefined);
    },
    async send(request, next, proxy) {
      if (request.action !== 'read') {
        try {
          return await next(request);
        } finally {
          // A write may change any list, also one whose response is still in flight (RFC 9111 4.4): all cached lists are dropped.
          caches.delete(proxy);
        }
      }
      const isPlainList =
        request.named === undefined && isList(request.operation) && request.method === 'GET' && !request.blob;
      const sendConditionally: Send = (conditional) => {
        // This function runs after the others, which decide whether the request has a condition.
        conditional.onHeaders.push((headers) => allowNotModified(headers, conditional.target));
        return next(conditional);
      };
      return isPlainList ? cacheOf(proxy).send(request, sendConditionally, proxy) : sendConditionally(request);
    },
  });
}

/** The header that makes a request conditional on the known version of the row; undefined: the request stays unconditional. */
function conditionOf(
  { action, bulk, named, operation }: ProxyRequest,
  proxy: DataProxy,
  ifMatch: (etag: string) => string | undefined,
): Record<string, string> | undefined {
  const [record] = operation.records;
  // A custom action addresses another resource than the row, and a request with several rows has no single ETag.
  if (!record || named !== undefined || bulk || action === 'create') return undefined;
  const row = rowOf(record);
  if (action === 'read') {
    const note = etagNote(row);
    const isConditional = note?.read && isAsReceived(row) && isOrdinaryRequest(operation);
    return isConditional ? { 'If-None-Match': note.etag as string } : undefined;
  }
  const etag = knownTag(row, proxy);
  const condition = etag && ifMatch(etag);
  return condition ? { 'If-Match': condition } : undefined;
}

/** Whether a request is about one record. */
function isSingle({ records, id, singleton }: Operation): boolean {
  return records.length === 1 || id !== undefined || singleton;
}

/**
 * Notes the ETag of each row of a response, and that a response lacks the version of a row. If the response to a write has no row, it is
 * noted about the result.
 */
function noteEtags(request: ProxyRequest, result: ResultSet, { reader }: DataProxy): void {
  const { operation, response, bulk, named, versioned } = request;
  const { action } = operation;
  // After a 304 the notes of the earlier response are still valid.
  if (response?.status === 304) return;
  const isOne = isSingle(operation);
  // The ETag header of a list belongs to the page, and that of a custom action to the action's own resource.
  const header = (isOne && !bulk && named === undefined && response?.headers.get('ETag')) || undefined;
  // Rows of a list need no note: an ETag inside a row is read from the row when it is needed.
  if (action === 'read' && !isOne) return;
  const rows = bulk ? bulkEntriesOf(result, request, reader).map(({ row }) => row) : result.rows;
  for (const row of rows.filter(isData)) {
    const etag = reader.etagOf(row) ?? header;
    const outdated = versioned !== undefined && !Object.hasOwn(row, versioned);
    // Servers that count versions give the same ETag to answers that differ because their parameters differ.
    const read = action === 'read' && isOrdinaryRequest(operation);
    if (etag || outdated) setNote(row, ETAGS, { etag, read, ...(outdated && { outdated }) });
  }
  if ((header || versioned) && !isData(result.rows[0]))
    setNote(result, ETAGS, { etag: header, outdated: versioned !== undefined });
}
