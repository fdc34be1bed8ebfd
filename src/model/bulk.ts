import type { DataError } from '../errors/data-error.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { readProblem } from '../errors/problem.js';
import { ReadError } from '../errors/read-error.js';
import { ValidationError } from '../errors/validation-error.js';
import { within } from '../errors/within.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Action } from '../operation/actions.js';
import { Operation, type OperationConfig } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import { responseError } from '../proxy/response-error.js';
import { type Data, getMember } from '../util/data-path.js';
import type { BaseModel } from './base-model.js';
import { coreOf, type InnerRecord, inner } from './record.js';
import { notify } from './record-owner.js';
import { markSent, settleErased, settleFailed, settleRestored, settleSaved } from './settle.js';
import { findIssues } from './validate.js';

/** Many records of one action in one request (H16). */
export interface BulkWrite<M> {
  readonly action: Exclude<Action, 'read'>;
  /** At least one; none of them has a write under way. */
  readonly records: readonly M[];
  readonly proxy: DataProxy;
  readonly options: Partial<OperationConfig>;
  ended(record: M, error: AnyDataError | undefined, operation: Operation | undefined): void;
}

/** Sends the bulk form: an array to the collection. A record that the reply does not account for fails. Never rejects. */
export async function writeBulk<M extends BaseModel>(bulk: BulkWrite<M>): Promise<void> {
  const { action, records } = bulk;
  const errors = new Map<InnerRecord, DataError>();
  const fail = (record: InnerRecord, error: DataError) => {
    (action === 'destroy' ? settleRestored : settleFailed)(record, error);
    errors.set(record, error);
  };
  const going = records.map(inner).filter((record) => {
    const issues = action === 'destroy' ? [] : findIssues(record, true);
    if (issues.length) fail(record, new ValidationError(issues, { messages: record[MODEL].messages }));
    return issues.length === 0;
  });
  const operation: Operation = new Operation({ action, records: going, ...bulk.options });
  const sent = going.length ? send(operation, bulk.proxy, fail) : undefined;
  // Each record's lane is held until all have been settled: nothing else of theirs is sent meanwhile.
  await Promise.all(
    going.map((record) => {
      const core = coreOf(record);
      const held = core.lane.run(async () => {
        await sent;
        core.erasing = undefined;
        const error = errors.get(record);
        if (error) throw error;
        return operation;
      });
      if (action === 'destroy') core.erasing = held;
      return held.catch(() => undefined);
    }),
  );
  const asked = new Set(going);
  for (const record of records) {
    const own = inner(record);
    bulk.ended(record, errors.get(own) as AnyDataError | undefined, asked.has(own) ? operation : undefined);
  }
}

async function send(
  operation: Operation,
  proxy: DataProxy,
  fail: (record: InnerRecord, error: DataError) => void,
): Promise<void> {
  const records = operation.records as readonly InnerRecord[];
  const { action } = operation;
  const { [MODEL]: model } = records[0] as InnerRecord;
  for (const record of records) {
    if (action === 'destroy') notify(record, { kind: 'erasing' });
    else markSent(record);
  }
  const ids = records.map((record) => model.serverId(record));
  try {
    const { rows } = await within(operation, model.messages, () => proxy.execute(operation));
    const rowOf = matchRows(operation, ids, rows as Data[], proxy.writer.clientIdProperty);
    // One record is an ordinary request; an empty answer to an update or destroy speaks for all of them.
    const spoken = records.length === 1 || (action !== 'create' && operation.response?.body === undefined);
    for (const [at, record] of records.entries()) {
      const row = rowOf(at);
      try {
        if (row === undefined && !spoken) throw new ReadError('reply-missing', {}, { messages: texts });
        refuseEntry(row, operation, record);
        const chosen = proxy.writer.writeRecordId || coreOf(record).sent?.has(model.idField);
        if (action === 'destroy') settleErased(record);
        else settleSaved(record, operation, row, chosen ? ids[at] : undefined);
      } catch (error) {
        fail(record, (error as DataError).inContext(operation, model.messages));
      }
    }
  } catch (error) {
    for (const record of records) fail(record, error as DataError);
  }
}

/** The rows of a reply by place of their record: by the client's id, by id, or by order where there is one for each. */
function matchRows(
  { action, records }: Operation,
  ids: readonly unknown[],
  rows: readonly Data[],
  clientIdProperty: string,
): (at: number) => Data | undefined {
  if (records.length === 1) return () => rows[0];
  const { [MODEL]: model } = records[0] as InnerRecord;
  const create = action === 'create';
  const nameOf = (row: Data) => {
    const name = clientIdProperty ? getMember(row, clientIdProperty) : undefined;
    return name ?? (create ? undefined : model.rowId(row));
  };
  const named = new Map(rows.filter((row) => nameOf(row) !== undefined).map((row) => [String(nameOf(row)), row]));
  return (at) => {
    const row = rows.length === ids.length ? rows[at] : undefined;
    const edited = (records[at] as InnerRecord & BaseModel).getId();
    return (
      named.get(String(ids[at])) ?? named.get(String(edited)) ?? (row && nameOf(row) === undefined ? row : undefined)
    );
  };
}

/** Throws the error of an entry that carries its own failing status (207 and its kin). */
function refuseEntry(row: unknown, operation: Operation, record: InnerRecord): void {
  const { request, response } = operation;
  const status = Number(getMember(row, 'status'));
  if (response?.status !== 207 || !(status >= 400)) return;
  const own: HttpResponse = { ...response, status, body: row };
  const told: Operation = Object.assign(Object.create(operation) as Operation, { records: [record], response: own });
  const part = Object.assign(Object.create(request as ProxyRequest) as ProxyRequest, {
    operation: told,
    response: own,
  });
  const { [MODEL]: model } = record;
  const problem = (model.kit.readProblem ?? readProblem)(row, status);
  throw responseError(part, problem, model).inContext(told, model.messages);
}

const texts = { 'reply-missing': '{method} {url} does not account for this record: it stays unsaved' };
