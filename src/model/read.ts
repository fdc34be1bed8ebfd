import { AddressError } from '../errors/address-error.js';
import type { Issue } from '../errors/issue.js';
import { ReadError } from '../errors/read-error.js';
import { isValidId } from '../http/url.js';
import { Operation, type OperationConfig } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import type { ActionOptions } from './action-options.js';
import { abortable, requestOptions } from './call.js';
import type { ModelDefinition } from './model-definition.js';
import { guardErased, type InnerRecord } from './record.js';
import { settleRead } from './settle.js';
import { CORE } from './symbols.js';

type Use = (operation: Operation) => Operation;

/** Reads the row of an id. Rejects without a request where there is no valid id (H5). */
export async function readRow(
  model: ModelDefinition,
  proxy: DataProxy,
  config: Partial<OperationConfig>,
  use: Use,
): Promise<{ row: Data; startedAt: number }> {
  const operation = use(new Operation({ action: 'read', model, ...config }));
  const record = operation.records[0];
  const id = record ? (record.phantom ? undefined : model.serverId(record)) : operation.id;
  if (!isValidId(id)) throw new AddressError('id-missing', { action: 'load' }, { operation, messages: model.messages });
  const startedAt = (model.clock.now += 1);
  const { rows } = await proxy.read(operation);
  const row = rows[0] as Data | undefined;
  if (!row) throw new ReadError('reply-record', { id }, { operation, messages: model.messages });
  checkRows(model, proxy, [row], operation);
  return { row, startedAt };
}

/** Reads a record again. */
export async function loadRecord(
  record: InnerRecord,
  proxy: DataProxy,
  options: ActionOptions<never> | undefined,
  use: Use,
): Promise<void> {
  guardErased(record);
  const model = record[MODEL];
  await abortable(record, options?.signal, async (signal) => {
    const { row, startedAt } = await readRow(
      model,
      proxy,
      { records: [record], ...requestOptions(options), signal },
      use,
    );
    const [asked, got] = [model.serverId(record), model.rowId(row)];
    if (got !== undefined && String(got) !== String(asked) && !record[CORE]?.erased) {
      throw new ReadError('reply-id', { asked, got }, { messages: model.messages });
    }
    settleRead(record, row, startedAt);
  });
}

/** With `reader: { strict: true }`, a row with a refused value rejects the load, naming row and field. */
export function checkRows(model: ModelDefinition, proxy: DataProxy, rows: readonly Data[], operation: Operation): void {
  if (!proxy.reader.strict) return;
  for (const [row, data] of rows.entries()) {
    for (const field of model.fields) {
      if (field.config.calculate) continue;
      const issue: Issue | undefined = field.checkReceived(field.raw(data), model.messages)[0];
      if (!issue) continue;
      const { method, url } = operation.request ?? {};
      throw new ReadError(
        'reply-field',
        { method, url, row, field: issue.path.join('.'), why: issue.message },
        { operation, messages: model.messages },
      );
    }
  }
}
