import { DefinitionError } from '../errors/definition-error.js';
import { ReadError } from '../errors/read-error.js';
import { ValidationError } from '../errors/validation-error.js';
import type { HttpResponse } from '../http/http-response.js';
import { AjaxProxy } from '../proxy/ajax-proxy.js';
import { isData } from '../util/data-path.js';
import type { StandardSchemaV1 } from '../util/standard-schema.js';
import type { ActionOptions } from './action-options.js';
import type { ActionConfig } from './action-types.js';
import type { BaseModel } from './base-model.js';
import { handled, requestOptions, withCallbacks } from './call.js';
import type { ModelDefinition } from './model-definition.js';
import { guardErased, inner } from './record.js';
import { settleRead } from './settle.js';

type Args = [record: BaseModel, body: unknown, options: ActionOptions<unknown> | undefined];

/** The declared actions of a model as functions of its class. */
export function createActions(model: ModelDefinition, Class: typeof BaseModel): Readonly<Record<string, unknown>> {
  const call =
    (name: string, config: ActionConfig) =>
    (...given: unknown[]) => {
      const record = config.on === 'collection' ? undefined : (given.shift() as BaseModel);
      const body = config.body ? given.shift() : undefined;
      const options = given[0] as ActionOptions<unknown> | undefined;
      const run = withCallbacks(options, record as unknown, () =>
        runAction(model, Class, name, config, [record as BaseModel, body, options]),
      );
      return handled(run, options as never);
    };
  return Object.freeze(
    Object.fromEntries(Object.entries(model.actions).map(([name, config]) => [name, call(name, config)])),
  );
}

async function runAction(
  model: ModelDefinition,
  Class: typeof BaseModel,
  name: string,
  config: ActionConfig,
  [record, given, options]: Args,
): Promise<unknown> {
  const { proxy } = record ? (record.constructor as typeof BaseModel) : Class;
  if (!(proxy instanceof AjaxProxy))
    throw new DefinitionError('proxy-type', {
      type: proxy.constructor.name,
      known: 'actions need an ajax or rest proxy',
    });
  if (record) guardErased(inner(record));
  const body = config.body
    ? await checked(config.body, given, (issues) => new ValidationError(issues, { messages: model.messages }))
    : undefined;
  const startedAt = (model.clock.now += 1);
  const { method = 'POST', path = name, reply } = config;
  const answer = await proxy.send({
    method,
    path,
    body,
    blob: reply === 'blob',
    ...(record && { record: record as never }),
    ...(requestOptions(options as never) as object),
  });
  if (reply === undefined) return undefined;
  if (reply === 'blob') return answer.body;
  if (reply !== 'record')
    return checked(reply, answer.body, (issues) => unreadable(answer, method, issues[0]?.message));
  // The rows of an answer lie where those of a read do.
  const row = proxy.reader.rowOf(answer.body);
  if (!isData(row)) throw unreadable(answer, method);
  settleRead(inner(record), row, startedAt, true);
  return record;
}

async function checked(
  schema: StandardSchemaV1,
  value: unknown,
  error: (issues: { path: PropertyKey[]; message: string }[]) => Error,
): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (!result.issues) return result.value;
  throw error(
    result.issues.map(({ path = [], message }) => ({
      path: path.map((each) => (typeof each === 'object' ? each.key : each)),
      message,
    })),
  );
}

function unreadable({ url, status }: HttpResponse, method: string, why?: string): ReadError {
  return new ReadError('reply-json', { method, url, status, what: why ?? 'no record' });
}
