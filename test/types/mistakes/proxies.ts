import { AjaxProxy, jsonFilter, Model, plain, RestProxy, filterTemplates, MemoryProxy } from 'repose';
import { defineDialect } from 'repose/extend';

const fields = { id: 'int', name: 'string' } as const;

Model.define({
  fields,
  // THROWS 'urll' does not exist in type
  proxy: { type: 'rest', urll: '/users' },
});
Model.define({
  fields,
  // THROWS 'ulr' does not exist in type
  proxy: { ulr: '/users' },
});
Model.define({
  fields,
  // THROWS 'urll' does not exist in type
  proxy: { type: RestProxy, urll: '/users' },
});
Model.define({
  fields,
  // THROWS Type '"rset"' is not assignable to type '"ajax" |
  proxy: { type: 'rset', url: '/users' },
});
Model.define({
  fields,
  // THROWS 'appendId' does not exist in type
  proxy: { type: 'ajax', url: '/users', appendId: false },
});
Model.define({
  fields,
  // THROWS 'url' does not exist in type
  proxy: { type: MemoryProxy, url: '/users' },
});
Model.define({
  fields,
  // THROWS Type 'number' is not assignable to type 'string'
  proxy: { type: 'rest', url: 7 },
});
// THROWS 'urll' does not exist in type 'RestProxyConfig'
new RestProxy({ urll: '/users' });
// THROWS 'format' does not exist in type 'AjaxProxyConfig'
new AjaxProxy({ url: '/users', format: 'json' });
// THROWS 'header' does not exist in type
Model.with({ proxy: { header: {} } });
Model.define({
  fields,
  // THROWS 'ulr' does not exist in type
  proxy: { ulr: '/users' },
});
Model.define({
  fields,
  // THROWS 'urll' does not exist in type
  proxy: { type: RestProxy, urll: '/users' },
});
Model.define({
  fields,
  // THROWS Type '"rset"' is not assignable to type '"ajax" |
  proxy: { type: 'rset', url: '/users' },
});
Model.define({
  fields,
  // THROWS 'appendId' does not exist in type
  proxy: { type: 'ajax', url: '/users', appendId: false },
});
Model.define({
  fields,
  // THROWS 'url' does not exist in type
  proxy: { type: MemoryProxy, url: '/users' },
});
Model.define({
  fields,
  // THROWS Type 'number' is not assignable to type 'string'
  proxy: { type: 'rest', url: 7 },
});
// THROWS 'urll' does not exist in type 'RestProxyConfig'
new RestProxy({ urll: '/users' });
// THROWS 'format' does not exist in type 'AjaxProxyConfig'
new AjaxProxy({ url: '/users', format: 'json' });
// THROWS 'header' does not exist in type
Model.with({ proxy: { header: {} } });
Model.define({
  fields,
  // THROWS 'ulr' does not exist in type
  proxy: { type: RestProxy, url: '/users', ulr: '/x' },
});
Model.define({
  fields,
  // THROWS 'ulr' does not exist in type
  proxy: { url: '/users', ulr: '/x' },
});
// THROWS 'ulr' does not exist in type 'RestProxyConfig'
new RestProxy({ url: '/users', ulr: '/x' });
// THROWS 'ulr' does not exist in type 'Partial<RestProxyConfig>'
new RestProxy({ url: '/users' }).with({ format: 'json', ulr: '/x' });
// THROWS 'gte' does not exist in type 'Filter
plain({ filter: filterTemplates({ gte: '{name}__gte' }) });
// THROWS Type 'number' is not assignable to type 'FilterTemplate'
plain({ filter: filterTemplates({ ge: 1 }) });
// THROWS 'descending' does not exist in type 'SortTemplates'
plain({ sort: { descending: '{name}' } });
// THROWS 'pagParam' does not exist in type 'PlainOptions'. Did you mean to write 'pageParam'?
plain({ pagParam: 'p' });
// THROWS 'gte' does not exist in type 'TreeNames'
jsonFilter({ gte: '$gte' });
// THROWS 'params' does not exist in type 'Dialect'
defineDialect({ ...plain(), params() {} });
// THROWS is missing the following properties from type 'Dialect': defaults, page, search, sort
defineDialect({ name: 'house' });
