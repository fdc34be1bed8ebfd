import { checkCall, checkOptions } from '../../dev/checks.js';
import type { ActionOptions } from '../action-options.js';
import type { ActionConfig } from '../action-types.js';
import type { BaseModel } from '../base-model.js';
import { type CheckCall, withCallbacks } from '../call.js';
import type { ModelDefinition } from '../model-definition.js';
import { ACTION_RULES, CALL_RULES } from '../model-options.js';
import type { ModelPart } from '../model-part.js';
import { runAction } from './run-action.js';

/**
 * The part of declared actions, requests beyond create, read, update and destroy: the option `actions` of a model.
 *
 * @example
 * ```ts
 * import { Model as CoreModel } from 'repose/core';
 *
 * class SmallModel extends CoreModel {
 *   static override readonly parts: readonly ModelPart[] = [actions];
 * }
 * class Order extends SmallModel.define({ fields: { id: 'int' }, actions: { cancel: { method: 'POST' } } }) {}
 * ```
 */
export const actions: ModelPart = { name: 'actions', createActions };

/** Makes the functions of a class from its declared actions. */
function createActions(model: ModelDefinition, Class: typeof BaseModel): Readonly<Record<string, unknown>> {
  for (const [name, config] of Object.entries(model.actions))
    checkOptions(`the action '${name}'`, config, ACTION_RULES);
  const calls = Object.entries(model.actions).map(([name, config]) => [name, createAction(model, Class, name, config)]);
  return Object.freeze(Object.fromEntries(calls));
}

/**
 * Makes the function of an action. Its arguments are the record (of a record's action), the body (of an action with one), and
 * options.
 */
function createAction(model: ModelDefinition, Class: typeof BaseModel, name: string, config: ActionConfig): unknown {
  const check: CheckCall = (given) => {
    checkCall(`actions.${name}`, given, CALL_RULES);
  };
  return (...args: unknown[]) => {
    const record = config.on === 'collection' ? undefined : (args.shift() as BaseModel);
    const body = config.body && args.shift();
    const options = args[0] as ActionOptions<never> | undefined;
    return withCallbacks(check, options, record as unknown, model.messages, () =>
      runAction(model, Class, { path: name, ...config }, record, body, options),
    );
  };
}
