import { readAnyProblem } from '../errors/problem-families.js';
import { AjaxProxy } from '../proxy/ajax-proxy.js';
import { MemoryProxy } from '../proxy/memory-proxy.js';
import { RestProxy } from '../proxy/rest-proxy.js';
import { createActions } from './actions.js';
import type { BaseModel } from './base-model.js';
import { ShownModel } from './console-form.js';
import { embed } from './embedding.js';
import { exactTypes } from './exact-types.js';
import type { AnyModel } from './field.js';
import type { Kit } from './kit.js';
import { renameTo } from './naming.js';
import { orderByReferences } from './order-by-references.js';
import { createPhantoms } from './phantom-index.js';
import { keepParents, refuseTemporary, resolveReferences } from './references.js';
import { related } from './related.js';

/**
 * Base of all models, which knows the built-in proxies by name: `class User extends Model.define({ fields, proxy }) {}`.
 */
export class Model extends ShownModel {
  static override readonly proxyTypes: { ajax: typeof AjaxProxy; rest: typeof RestProxy; memory: typeof MemoryProxy } =
    {
      ajax: AjaxProxy,
      rest: RestProxy,
      memory: MemoryProxy,
    };

  static override readonly kit: Kit = {
    createActions,
    createPhantoms,
    embed,
    fieldTypes: exactTypes,
    keepParents,
    orderWrites: orderByReferences,
    readProblem: readAnyProblem,
    refuseTemporary,
    renameTo,
    resolveReferences,
  };

  /** The models that fields refer to, by field. In the class body, so that models may refer to each other. */
  static references(): Record<string, AnyModel> {
    return {};
  }

  /**
   * The record that a field refers to, by the model that `references()` names. Undefined where the field is empty.
   */
  static related<B extends typeof Model, K extends keyof ReturnType<B['references']>>(
    this: B,
    record: InstanceType<B>,
    name: K,
  ): Promise<InstanceType<ReturnType<B['references']>[K]> | undefined> {
    return related(this, record as BaseModel, name as string) as never;
  }
}
