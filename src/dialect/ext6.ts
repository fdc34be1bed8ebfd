import { modelOf } from '../operation/operation-record.js';
import type { ResultSet } from '../operation/result-set.js';
import { readPlace } from '../reader/place.js';
import { isData } from '../util/data-path.js';
import type { JsonWriter } from '../writer/json-writer.js';
import { classic } from './classic.js';
import type { Dialect, StepContext } from './dialect.js';

/**
 * Dialect for servers that were written for Ext JS 6: its requests whole. Beside the query of `classic`, an update is a PUT of the
 * edited fields and the id, a create carries the client's id, a DELETE has a body with the id, and members are named by the fields. Rows
 * are at `data`, beside `success`, `total` and `message`.
 *
 * The client's id is sent under the name of the id field or, if the writer has a `clientIdProperty`, under that name. It is never taken
 * for the id of the saved record.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/users', dialect: ext6(), writer: { clientIdProperty: 'clientId' } });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function ext6(): Dialect {
  return {
    ...classic,
    name: 'ext6',
    defaults: {
      useDefaultXhrHeader: true,
      reader: { rootProperty: 'data' },
      writer: { writeAllFields: false, nameProperty: 'name' },
    },
    body,
    readSaved,
  };
}

function body({ request, options: { writer } }: StepContext): unknown {
  if (request.action === 'create') return clientIdWriter(writer).write(request);
  // The writer adds the id to the bodies of requests whose address does not contain it. A singleton has no id.
  const unaddressed = { addressed: { value: request.operation.singleton } };
  return writer.write(Object.create(request, unaddressed) as typeof request);
}

/** The writer of creates. `writeRecordId` of the proxy itself stays unset: it would make the client's id the id of the saved record. */
function clientIdWriter(writer: JsonWriter): JsonWriter {
  if (writer.clientIdProperty) return writer;
  return Object.create(writer, { writeRecordId: { value: true } }) as JsonWriter;
}

/** Reads the response to a write. `{ success: true }` without rows confirms the update or erase of several records, as it does in Ext JS. */
function readSaved(context: StepContext): ResultSet {
  const { request, options } = context;
  const result = classic.readSaved(context);
  const { operation, action, bulk } = request;
  const [only] = result.rows;
  if (!bulk || action === 'create' || result.rows.length !== 1 || !isData(only)) return result;
  const confirmed = readPlace(only, options.reader.successProperty, request) === true;
  if (confirmed && modelOf(operation)?.rowId(only) === undefined)
    result.entries = operation.records.map(() => ({ item: {}, row: undefined }));
  return result;
}
