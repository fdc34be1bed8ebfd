import { checkCall, checkOptions } from '../../dev/checks.js';
import type { ActionOptions } from '../action-options.js';
import type { ActionConfig } from '../action-types.js';
import { type CheckCall, runCall } from '../call.js';
import type { Model } from '../model.js';
import type { ModelDefinition } from '../model-definition.js';
import { ACTION_RULES, CALL_RULES } from '../model-options.js';
import { runAction } from './run-action.js';

/** Makes the function of a declared action. */
export type CreateAction = (model: ModelDefinition, Class: typeof Model, name: string, config: ActionConfig) => unknown;

/**
 * Makes the function of an action. Its arguments are the record (of a record's action), the body (of an action with one), and
 * options.
 */
export const createAction: CreateAction = (model, Class, name, config) => {
  checkOptions(`the action '${name}'`, config, ACTION_RULES);
  const check: CheckCall = (given) => {
    checkCall(`actions.${name}`, given, CALL_RULES);
  };
  return (...args: unknown[]) => {
    const record = config.on === 'collection' ? undefined : (args.shift() as Model);
    const body = config.body && args.shift();
    const options = args[0] as ActionOptions | undefined;
    return runCall(check, options, model.messages, () =>
      runAction(model, Class, { path: name, ...config }, record, body, options),
    );
  };
};
