import { type Action, type ActionMethods, AjaxProxy, type AjaxProxyConfig, classic, type DataError, DataProxy, type Dialect, type Explanation, type HttpResponse, isDataError, JsonReader, JsonWriter, type MessageKey, type Messages, MemoryProxy, Model, Operation, type OperationRecord, plain, printExplanation, ProxyRequest, type RecordModel, RestProxy, type RestProxyConfig, ResultSet, Store, type TracePart, filterTemplates, explain } from 'repose';
import { defineDialect, type StepContext } from 'repose/extend';
import { check, type Equal, is } from './equal.js';

// ── options ───────────────────────────────────────────────────────────────────
const options: RestProxyConfig = {
  url: '/users', baseUrl: 'https://api.example.com', api: { create: '/users/new' }, dialect: classic, appendId: true, format: 'json', trailingSlash: true,
  idParam: 'key', pageParam: null, startParam: '', limitParam: 'n', sortParam: 's', filterParam: 'f', groupParam: 'g', directionParam: 'd', groupDirectionParam: 'gd',
  simpleSortMode: true, simpleGroupMode: true, extraParams: { v: 2 }, pathParams: { tenant: 'a' }, noCache: false, cacheString: '', timeout: 0,
  headers: async () => ({ Authorization: 'x' }), fetch: globalThis.fetch, actionMethods: { update: 'MERGE' }, withCredentials: true, codec: { name: 'text', mediaType: 'text/plain', write: String, parse: (text) => text }, useDefaultXhrHeader: true,
  batchActions: true, batchOrder: 'destroy,create,update', messages: { timeout: 'Too slow.' },
  reader: { rootProperty: 'data', totalProperty: 'meta.total', record: 'node', rows: 'incomplete', strict: true, transform: (body) => body },
  writer: { writeAllFields: true, writeRecordId: true, undeclared: false, rootProperty: 'data', allowSingle: false, nameProperty: 'name', clientIdProperty: 'cid' },
};
const proxy = new RestProxy(options);
is<string | undefined>()(proxy.url);
is<boolean>()(proxy.appendId);
is<ActionMethods>()(proxy.actionMethods);
check<Equal<keyof ActionMethods, Action>>();
// @ts-expect-error read-only
proxy.url = '/other';
// @ts-expect-error read-only
proxy.defaultActionMethods = proxy.actionMethods;
// @ts-expect-error no such action
new RestProxy({ actionMethods: { erase: 'DELETE' } });
// @ts-expect-error no such action
new RestProxy({ api: { delete: '/x' } });
// @ts-expect-error misspelt option of the reader
new RestProxy({ reader: { root: 'data' } });
// @ts-expect-error misspelt option of the writer
new RestProxy({ writer: { writeAll: true } });
// @ts-expect-error not both of them values
new RestProxy({ headers: { 'X-A': 1 } });
new RestProxy({ reader: new JsonReader({ rootProperty: 'data' }), writer: new JsonWriter({ undeclared: false }) });
// A subclass can name the types of the members that it overrides.
class OwnWriter extends JsonWriter {
  override row(record: OperationRecord, request: ProxyRequest): Record<string, unknown> {
    return { ...super.row(record, request), phantom: record.phantom };
  }
}
class OwnReader extends JsonReader {
  override rowsOf(body: unknown, list: boolean, model?: RecordModel): Record<string, unknown>[] {
    return super.rowsOf(body, list, model);
  }
}
new RestProxy({ reader: new OwnReader(), writer: new OwnWriter() });
is<RestProxy>()(proxy.with({ format: 'xml' }));

// ── a request, and what made it ───────────────────────────────────────────────
const request = new ProxyRequest({ operation: new Operation({ action: 'read', id: 7 }), action: 'read' });
is<string>()(proxy.buildUrl(request));
is<string>()(proxy.getMethod(request));
is<Action>()(request.action);
const explanation = await explain(proxy, { action: 'read', page: 2, sorters: ['name'] });
is<Explanation>()(explanation);
is<readonly TracePart[]>()(explanation.parts);
is<ProxyRequest | undefined>()(explanation.request);
is<DataError | undefined>()(explanation.refused);
is<string>()(printExplanation(explanation));
const answer = await proxy.send({ method: 'POST', path: 'cancel', record: null as never as Model & never, body: { reason: 'x' } });
is<HttpResponse>()(answer);
is<unknown>()(answer.body);
// @ts-expect-error no such action
await explain(proxy, { action: 'load' });
// @ts-expect-error misspelt
await proxy.send({ mehtod: 'POST' });
is<ResultSet>()(await proxy.read(new Operation({ action: 'read' })));

// ── subclasses ────────────────────────────────────────────────────────────────
class OldProxy extends RestProxy {
  override get defaultActionMethods(): ActionMethods { return { ...super.defaultActionMethods, update: 'POST' }; }
  override encodeId(id: unknown): string { return String(id); }
  override encodeSorters(sorters: readonly { readonly property?: string | undefined }[]): string { return sorters.map((each) => each.property).join(); }
  protected override keepIdParam(): boolean { return true; }
  protected override baseOf(request: ProxyRequest): string { return `/${request.action}`; }
}
new OldProxy({ url: '/x' });
class SignedProxy extends AjaxProxy<AjaxProxyConfig & { secret: string }> {
  override getMethod(request: ProxyRequest): string { return this.config.secret ? 'POST' : super.getMethod(request); }
}
new SignedProxy({ url: '/x', secret: 's' });
// @ts-expect-error secret is required
new SignedProxy({ url: '/x' });
class OneProxy extends DataProxy<{ value: number }> {
  async create(operation: Operation): Promise<ResultSet> { return new ResultSet({ rows: operation.records }); }
  async read(): Promise<ResultSet> { return new ResultSet({ rows: [{ value: this.config.value }], total: 1 }); }
  async update(): Promise<ResultSet> { return new ResultSet(); }
  async erase(): Promise<ResultSet> { return new ResultSet(); }
}
Model.define({ fields: { id: 'int' }, proxy: { type: OneProxy, value: 1 } });
// @ts-expect-error value is a number
Model.define({ fields: { id: 'int' }, proxy: { type: OneProxy, value: 'x' } });
class TenantProxy extends RestProxy<RestProxyConfig & { tenant: string }> {
  constructor(config: RestProxyConfig & { tenant: string }) { super({ ...config, extraParams: { tenant: config.tenant } }); }
}
Model.define({ fields: { id: 'int' }, proxy: { type: TenantProxy, url: '/x', tenant: 'a' } });
// @ts-expect-error tenant is required
Model.define({ fields: { id: 'int' }, proxy: { type: TenantProxy, url: '/x' } });
// @ts-expect-error the other actions are missing
class HalfProxy extends DataProxy { async read(): Promise<ResultSet> { return new ResultSet(); } }
is<readonly object[]>()(new MemoryProxy({ data: [{ id: 1 }] }).data);

// ── dialects ──────────────────────────────────────────────────────────────────
const house: Dialect = defineDialect({
  ...plain(),
  name: 'house',
  page({ request, options }) {
    is<ProxyRequest>()(request);
    request.collect('p', request.operation.page, 'house', 'page');
    request.collect(options.limitParam, request.operation.limit, 'house', 'pageSize');
  },
  method: ({ request }) => (request.action === 'update' ? 'PUT' : undefined),
  address: ({ request, options }) => `${request.url}(${options.encodeId(request.operation.id)})`,
  readPage: ({ request }) => new ResultSet({ rows: [request.response?.body], total: undefined }),
});
// @ts-expect-error a dialect has no such member
defineDialect({ ...plain(), params() {} });
// @ts-expect-error steps are missing
defineDialect({ name: 'house' });
plain({ sort: { desc: '{name}:desc' }, filter: filterTemplates({ ge: (name, value) => ({ [`${name}_min`]: value }) }), page: 'p={page}' });
// @ts-expect-error no such operator
plain({ filter: filterTemplates({ gte: '{name}__gte' }) });
// @ts-expect-error no such option
plain({ paging: 'p={page}' });
Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', url: '/x', dialect: house } });
const addressOf = (context: StepContext): string => house.address(context);
void addressOf;
// @ts-expect-error a dialect is an object, not a name
new RestProxy({ dialect: 'plain' });
// @ts-expect-error plain is a function
new RestProxy({ dialect: plain });
// @ts-expect-error an address is text
const broken: Dialect = { ...plain(), address: () => 7 };
// @ts-expect-error steps are missing
const empty: Dialect = { name: 'empty' };

// ── messages and errors ───────────────────────────────────────────────────────
const texts: Messages = { 'url-missing': 'Keine Adresse für {action}.' };
const key: MessageKey = 'url-missing';
void key;
new RestProxy({ messages: texts });
Model.define({ fields: { id: 'int' }, messages: { required: 'ist nötig' } });
new RestProxy({ messages: { 'tax-number': 'is no tax number' } }); // codes of one's own validators
// @ts-expect-error texts only
new RestProxy({ messages: { timeout: () => 'Too slow.' } });
const failed: unknown = undefined;
if (isDataError(failed)) {
  if (failed.code === 'timeout') check<Equal<typeof failed.name, 'TimeoutError'>>();
  if (failed.code === 'conflict') is<object | undefined>()(failed.theirs);
  if (failed.code === 'validation') is<number | undefined>()(failed.status);
  // @ts-expect-error no such code
  if (failed.code === 'validaton') void failed;
}

// A proxy is given by its name, as a class or as an instance.
class User extends Model.define({ name: 'user', fields: { id: 'int', name: 'string' }, proxy: { type: RestProxy, url: '/users', format: 'json' } }) {
  get label(): string { return `${this.name}!`; }
}
is<User>()(await User.load(7));
is<User>()(await User.load('me', { anyId: true, params: { v: 2 } }));
// @ts-expect-error a record is never read as another one
await (await User.load(7)).load({ anyId: true });
is<string | undefined>()((await User.load(7)).get('name'));
is<User[]>()([...new Store({ model: User, sorters: ['label'] })]);
new Store({ model: User, proxy: { type: MemoryProxy, data: [] } });
Model.define({ fields: { id: 'int' }, proxy: { type: AjaxProxy, url: '/x' } });
Model.define({ fields: { id: 'int' }, proxy: new RestProxy({ url: '/x' }) });
// @ts-expect-error misspelt option
Model.define({ fields: { id: 'int' }, proxy: { type: RestProxy, urll: '/x' } });
// @ts-expect-error an option of another proxy
Model.define({ fields: { id: 'int' }, proxy: { type: AjaxProxy, url: '/x', appendId: false } });
class BaseModel extends Model.with({ proxy: { type: RestProxy, baseUrl: 'https://api.example.com' } }) {}
is<string | undefined>()((await BaseModel.define({ fields: { id: 'int', name: 'string' }, proxy: { type: RestProxy, url: '/x' } }).load(1)).name);
// An application can add names of proxies.
class NamingModel extends Model { static override readonly proxyTypes = { ...Model.proxyTypes, memory: MemoryProxy }; }
is<number>()((await NamingModel.define({ fields: { id: 'int' }, proxy: { type: 'memory', data: [] } }).load(1)).id);
