import { DefinitionError } from '../../errors/definition-error.js';
import { ReadError } from '../../errors/read-error.js';
import { ValidationError } from '../../errors/validation-error.js';
import { changedNotes, notesOf, setNotes } from '../../extension/row-notes.js';
import { exactBody, type HttpResponse } from '../../http/http-response.js';
import { Operation } from '../../operation/operation.js';
import { ResultSet } from '../../operation/result-set.js';
import { AjaxProxy } from '../../proxy/ajax-proxy.js';
import { ProxyRequest } from '../../proxy/proxy-request.js';
import type { StandardSchemaV1 } from '../../util/standard-schema.js';
import type { ActionOptions } from '../action-options.js';
import type { ActionConfig } from '../action-types.js';
import type { BaseModel } from '../base-model.js';
import { checkSameId } from '../check-same-id.js';
import type { ModelDefinition } from '../model-definition.js';
import { guardErased, inner } from '../record.js';
import { nextTime, settleRead } from '../settle.js';
import { isSingleton } from '../singleton.js';
import { ROW } from '../symbols.js';

/** Sends the request of a declared action, and reads the answer according to the option `reply`. */
export async function runAction(
  model: ModelDefinition,
  Class: typeof BaseModel,
  { method = 'POST', path, body: schema, reply }: ActionConfig,
  record: BaseModel | undefined,
  givenBody: unknown,
  options: ActionOptions<never> | undefined,
): Promise<unknown> {
  const { proxy } = (record?.constructor ?? Class) as typeof BaseModel;
  if (!(proxy instanceof AjaxProxy))
    throw new DefinitionError(
      'proxy-action',
      { type: proxy.constructor.name, model: model.name },
      { messages: model.messages },
    );
  if (record) guardErased(inner(record));
  const startedAt = nextTime(model);
  const requestedId = record && model.serverId(inner(record));
  const { success: _, failure: __, callback: ___, ...request } = options ?? {};
  const answer = await proxy.send({
    ...request,
    ...{ method, path, record: record as never, blob: reply === 'blob' },
    body: schema && (await parseWith(schema, givenBody, (issues) => new ValidationError(issues, model))),
  } as never);
  if (typeof reply === 'object' || typeof reply === 'function') {
    return parseWith(
      reply,
      answer.body,
      (issues) =>
        new ReadError(
          'reply-action',
          { method, url: answer.url, status: answer.status, why: issues.map(({ message }) => message).join('; ') },
          { messages: model.messages },
        ),
    );
  }
  if (reply === 'record' && record) {
    const [row = {}] = proxy.reader.rowsOf(exactBody(answer), false);
    if (!isSingleton(proxy)) checkSameId(model, [requestedId], row);
    reportRow(row, record, answer, proxy);
    // Notes of the earlier row, such as its ETag, are outdated.
    if (settleRead(inner(record), row, startedAt, true)) setNotes(inner(record)[ROW], changedNotes(notesOf(row)));
    return record;
  }
  return reply && answer.body;
}

/** Runs the `answered` hooks of extensions for the row in the answer to an action. */
function reportRow(row: object, record: BaseModel, response: HttpResponse, proxy: AjaxProxy): void {
  const operation: Operation = new Operation({ action: 'update', records: [inner(record)] });
  const request = new ProxyRequest({ operation });
  operation.response = response;
  proxy.reportAnswer(
    Object.assign(request, { named: true, url: response.url, response }),
    new ResultSet({ rows: [row] }),
  );
}

type Issues = { path: PropertyKey[]; message: string }[];

async function parseWith(schema: StandardSchemaV1, value: unknown, error: (issues: Issues) => Error): Promise<unknown> {
  const { issues, ...result } = await schema['~standard'].validate(value);
  if (!issues) return (result as { value: unknown }).value;
  throw error(
    issues.map(({ path = [], message }) => ({
      path: [...path].map((each) => (typeof each === 'object' ? each.key : each)),
      message,
    })),
  );
}
