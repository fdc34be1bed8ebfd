import {
  any,
  callable,
  flag,
  headerSet,
  list,
  object,
  oneOf,
  parameterSet,
  type Rule,
  type Rules,
  rulesOf,
  signal,
  string,
  text,
  worded,
} from '../errors/option-rules.js';
import { isSortTypeName } from '../operation/sort-types.js';
import { isData } from '../util/data-path.js';
import type {
  ActionOptions,
  ReadOptions,
  RecordLoadOptions,
  SaveOptions,
  SharedLoadOptions,
} from './action-options.js';
import type { ActionConfig } from './action-types.js';
import type { FieldConfig, Fields } from './field.js';
import { isSchema } from './field-types.js';
import type { ModelConfig, ModelDefaults, ProxyTypes } from './model-config.js';
import { DEFINITION, ID_PARTS } from './symbols.js';

/** The rule for a class that `Model.define()` has made. */
export const modelClass: Rule = {
  expected: 'a model class, such as `class User extends Model.define({ … }) {}`',
  holds: (value) => typeof value === 'function' && (value as { [DEFINITION]?: unknown })[DEFINITION] !== undefined,
};

/** The rule for the option `proxy`. */
export const proxyOption: Rule = {
  expected:
    "options, such as `{ type: 'rest', url: '/users' }`, or a proxy, such as `new RestProxy({ url: '/users' })`",
  holds: isData,
};

/** The options of `with`. */
export const DEFAULTS_RULES: Rules<ModelDefaults<ProxyTypes>> = {
  proxy: proxyOption,
  naming: {
    expected: "'snake', 'kebab' or a function that turns the name of a field into that of the member",
    holds: (value) => typeof value === 'string' || typeof value === 'function',
  },
  // `planIdentifier` checks the value when it fills in the defaults.
  identifier: any,
  messages: object,
};

/** The rule of the option `fields` of `define`. */
export const FIELDS_RULE: Rule = {
  expected: "an object, such as `{ id: 'int', name: 'string' }`; of a schema its shape, `fields: schema.shape`",
  holds: (value) => isData(value) && !isSchema(value),
};

/** The options of `define`. */
export const MODEL_RULES: Rules<ModelConfig<Fields, ProxyTypes, never, unknown>> = {
  ...DEFAULTS_RULES,
  name: text,
  fields: FIELDS_RULE,
  idProperty: {
    expected:
      "the name of a field, or several names, such as `compositeId('orderId', 'line')` with `compositeId` from 'repose'",
    holds: (value) => text.holds(value) || (isData(value) && ID_PARTS in value),
  },
  undeclared: /* @__PURE__ */ oneOf('keep', 'refuse'),
  actions: { expected: "an object, such as `{ cancel: { method: 'POST' } }`", holds: isData },
  matches: { expected: 'a schema, such as `json<UserDto>()`', holds: isSchema },
};

/** The options of a field. `createField` checks each validator by itself. */
export const FIELD_RULES: Rules<FieldConfig> = {
  type: any,
  mapping: {
    expected: "the name or path of a member, such as 'address.street', or a function of the row",
    holds: (value) => typeof value === 'string' || typeof value === 'function',
  },
  defaultValue: any,
  allowNull: flag,
  // `createField` checks the list in every build.
  values: any,
  format: {
    expected: "a format of dates, such as `dateFormat('d.m.Y')` with `dateFormat` from 'repose'",
    holds: (value) => isData(value) && typeof value['compile'] === 'function',
  },
  persist: flag,
  calculate: callable,
  convert: callable,
  // `checkDependencies` checks the names in every build.
  depends: any,
  serialize: callable,
  sortType: {
    expected: "a function, or 'natural', 'numeric' or 'textCi'",
    holds: (value) => typeof value === 'function' || isSortTypeName(value),
  },
  label: text,
  validators: /* @__PURE__ */ worded(list, 'a list of functions, such as `[presence(), length({ min: 1 })]`'),
};

/** The options of an entry in `actions`. */
export const ACTION_RULES: Rules<ActionConfig> = {
  method: /* @__PURE__ */ oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: string,
  on: /* @__PURE__ */ oneOf('record', 'collection'),
  body: { expected: 'a schema, such as `json<Cancel>()`', holds: isSchema },
  reply: {
    expected: "'record', 'blob' or a schema",
    holds: (value) => value === 'record' || value === 'blob' || isSchema(value),
  },
};

/** The options of `erase()` of a record, and of declared actions. */
export const CALL_RULES: Rules<ActionOptions> = {
  params: parameterSet,
  pathParams: parameterSet,
  url: string,
  headers: headerSet,
  signal,
};

/** The callbacks of the load and save of a record. */
const CALLBACKS = { success: callable, failure: callable, callback: callable };

/** The options of `save()`. */
export const SAVE_RULES: Rules<SaveOptions<never>> = /* @__PURE__ */ rulesOf(CALL_RULES, {
  repeat: flag,
  children: flag,
  ...CALLBACKS,
});

/** The options of `load()` of a session. */
export const SHARED_LOAD_RULES: Rules<SharedLoadOptions> = /* @__PURE__ */ rulesOf(CALL_RULES, {
  anyId: flag,
  fields: list,
});

/** The options of `Model.load()`. */
export const LOAD_RULES: Rules<RecordLoadOptions<never>> = /* @__PURE__ */ rulesOf(SHARED_LOAD_RULES, CALLBACKS);

/** The options of `record.load()`. */
export const READ_RULES: Rules<ReadOptions<never>> = /* @__PURE__ */ rulesOf(CALL_RULES, {
  fields: list,
  ...CALLBACKS,
});
