import { DefinitionError } from '../../errors/definition-error.js';
import { ReadError } from '../../errors/read-error.js';
import { ValidationError } from '../../errors/validation-error.js';
import { exactBody } from '../../http/http-response.js';
import { AjaxProxy } from '../../proxy/ajax-proxy.js';
import type { StandardSchemaV1 } from '../../util/standard-schema.js';
import type { ActionOptions } from '../action-options.js';
import type { ActionConfig } from '../action-types.js';
import type { BaseModel } from '../base-model.js';
import { checkSame } from '../check-same.js';
import type { ModelDefinition } from '../model-definition.js';
import { coreOf, guardErased, inner } from '../record.js';
import { settleRead, tick } from '../settle.js';
import { isSingleton } from '../singleton.js';

/** Sends the request of a declared action, and reads the answer as its `reply` says. */
export async function runAction(
  model: ModelDefinition,
  Class: typeof BaseModel,
  { method = 'POST', path, body: schema, reply }: ActionConfig,
  record: BaseModel | undefined,
  given: unknown,
  options: ActionOptions<never> | undefined,
): Promise<unknown> {
  const { proxy } = (record?.constructor ?? Class) as typeof BaseModel;
  if (!(proxy instanceof AjaxProxy))
    throw new DefinitionError('proxy-type', { type: proxy.constructor.name, known: 'ajax, rest' });
  if (record) guardErased(inner(record));
  const startedAt = tick(model);
  const asked = record && model.serverId(inner(record));
  const answer = await proxy.send({
    ...options,
    ...{ method, path, record: record as never, blob: reply === 'blob' },
    body: schema && (await checked(schema, given, (issues) => new ValidationError(issues, model))),
  } as never);
  if (typeof reply === 'object' || typeof reply === 'function') {
    return checked(
      reply,
      answer.body,
      ([issue]) => new ReadError('reply-json', { ...answer, method, what: issue?.message }),
    );
  }
  if (reply === 'record' && record) {
    const [row = {}] = proxy.reader.rowsOf(exactBody(answer), false);
    if (!isSingleton(proxy)) checkSame(model, [asked], row);
    const settled = settleRead(inner(record), row, startedAt, true);
    // The header's is that of the action's answer, not of the record.
    if (settled && proxy.conditional) coreOf(inner(record)).etag = proxy.reader.etagOf(row) ?? '';
    return record;
  }
  return reply && answer.body;
}

type Issues = { path: PropertyKey[]; message: string }[];

async function checked(schema: StandardSchemaV1, value: unknown, error: (issues: Issues) => Error): Promise<unknown> {
  const { issues, ...result } = await schema['~standard'].validate(value);
  if (!issues) return (result as { value: unknown }).value;
  throw error(
    issues.map(({ path = [], message }) => ({
      path: [...path].map((each) => (typeof each === 'object' ? each.key : each)),
      message,
    })),
  );
}
