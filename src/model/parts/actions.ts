import type { ActionOptions } from '../action-options.js';
import type { ActionConfig } from '../action-types.js';
import type { BaseModel } from '../base-model.js';
import { withCallbacks } from '../call.js';
import type { ModelDefinition } from '../model-definition.js';
import type { ModelPart } from '../model-part.js';
import { runAction } from './run-action.js';

/** Calls beyond create, read, update and destroy: the option `actions` of a model. */
export const actions: ModelPart = { name: 'actions', createActions };

/** The declared actions as functions of a class. */
function createActions(model: ModelDefinition, Class: typeof BaseModel): Readonly<Record<string, unknown>> {
  const calls = Object.entries(model.actions).map(([name, config]) => [name, createAction(model, Class, name, config)]);
  return Object.freeze(Object.fromEntries(calls));
}

/** A declared action as a function: of a record unless it is about the collection, a body if it has one, options. */
function createAction(model: ModelDefinition, Class: typeof BaseModel, name: string, config: ActionConfig): unknown {
  return (...given: unknown[]) => {
    const record = config.on === 'collection' ? undefined : (given.shift() as BaseModel);
    const body = config.body && given.shift();
    const options = given[0] as ActionOptions<never> | undefined;
    return withCallbacks(options, record as unknown, () =>
      runAction(model, Class, { path: name, ...config }, record, body, options),
    );
  };
}
