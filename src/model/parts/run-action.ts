import { DefinitionError } from '../../errors/mistakes.js';
import { ReadError } from '../../errors/read-error.js';
import { ValidationError } from '../../errors/validation-error.js';
import { changedNotes, notesOf, setNotes } from '../../extension/row-notes.js';
import { exactBody, type HttpResponse } from '../../http/http-response.js';
import { Operation } from '../../operation/operation.js';
import { ProxyRequest } from '../../operation/proxy-request.js';
import { ResultSet } from '../../operation/result-set.js';
import { AjaxProxy, CALLED } from '../../proxy/ajax-proxy.js';
import type { StandardSchemaV1 } from '../../util/standard-schema.js';
import { copyPlain } from '../../util/values.js';
import type { ActionOptions } from '../action-options.js';
import type { ActionConfig } from '../action-types.js';
import { captureCall, capturedValues, viewOf } from '../change.js';
import type { Model } from '../model.js';
import type { ModelDefinition } from '../model-definition.js';
import { guardErased, inner } from '../record.js';
import { tellOwners } from '../record-owner.js';
import { nextTime, settleRead } from '../settle.js';
import { isSingleton } from '../singleton.js';
import { ROW } from '../symbols.js';

/** Sends the request of a declared action, and reads the response according to the option `reply`. */
export async function runAction(
  model: ModelDefinition,
  Class: typeof Model,
  { method = 'POST', path, body: schema, reply }: ActionConfig,
  record: Model | undefined,
  givenBody: unknown,
  options: ActionOptions | undefined,
): Promise<unknown> {
  const { proxy } = (record?.constructor ?? Class) as typeof Model;
  if (!(proxy instanceof AjaxProxy))
    throw new DefinitionError(
      'proxy-action',
      { type: proxy.constructor.name, model: model.name },
      { messages: model.messages },
    );
  if (record) guardErased(inner(record));
  /** Captures everything that the request is made of, because a schema may take its time. */
  const captureRequest = async (bodySchema: StandardSchemaV1) => {
    const { calledParameters, ...captured } = captureCall(proxy, options);
    return {
      ...{ ...captured, [CALLED]: calledParameters },
      record: record && viewOf(inner(record), capturedValues(inner(record))),
      body: await parseWith(bodySchema, copyPlain(givenBody), (issues) => new ValidationError(issues, model)),
    };
  };
  const startedAt = nextTime(model);
  const requestedId = record && model.serverId(inner(record));
  const request = { method, path, record: record as object, blob: reply === 'blob' };
  const sent = schema ? { ...request, ...(await captureRequest(schema)) } : request;
  const answer = await proxy.send({ ...options, ...sent } as object);
  if (typeof reply === 'object' || typeof reply === 'function') {
    return parseWith(
      reply,
      answer.body,
      (issues) =>
        new ReadError(
          'response-action',
          { method, url: answer.url, status: answer.status, why: issues.map(({ message }) => message).join('; ') },
          { messages: model.messages },
        ),
    );
  }
  if (reply === 'record' && record) {
    const request = answeredRequest(record, answer);
    const { reader } = proxy;
    const received = exactBody(answer);
    const body = reader.transform ? reader.transform(received, request) : received;
    const [row = {}] = reader.rowsOf(body, false, undefined, request);
    if (!isSingleton(proxy)) model.checkSameId([requestedId], row);
    proxy.reportAnswer(request, new ResultSet({ rows: [row] }));
    const target = inner(record);
    const { [ROW]: before } = target;
    if (settleRead(target, row, startedAt, true)) {
      // Notes of the earlier row, such as its ETag, are outdated.
      setNotes(target[ROW], changedNotes(notesOf(row)));
      tellOwners(target, 'rowWritten', { before, after: target[ROW] });
    }
    return record;
  }
  return reply && answer.body;
}

/** A request for the reader and the `answered` hooks of extensions, as of an update that got this response. */
function answeredRequest(record: Model, response: HttpResponse): ProxyRequest {
  const operation: Operation = new Operation({ action: 'update', records: [inner(record)] });
  operation.response = response;
  return Object.assign(new ProxyRequest({ operation }), { named: true, url: response.url, response });
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
