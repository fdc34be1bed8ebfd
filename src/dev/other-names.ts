import { getMember } from '../util/data-path.js';

/** The known name that is most similar to a misspelt one; undefined if none is similar enough. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const lower = given.toLowerCase();
  let best: string | undefined;
  // If more than a third of the letters differ, a suggestion would mislead.
  let least = Math.floor(given.length / 3) + 1;
  for (const name of known) {
    const distance = editDistance(lower, name.toLowerCase());
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

/** How many letters must be inserted, removed, replaced, or swapped with the next letter to turn one text into the other. */
function editDistance(from: string, to: string): number {
  let above: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwapped ? (above[j - 2] as number) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    above = row;
    row = next;
  }
  return row[to.length] as number;
}

const embed =
  'declare a list of embedded records as a field, `tasks: embed([Task])`; name records with an address of their own in `static references()`';
const refer =
  'declare an embedded record as a field, `address: embed(Address)`; name a record with an address of its own in `static references()`';
const toProxy = 'write it into `proxy: { … }`';
const toDefine = 'give it to `define`: `class Task extends Base.define({ … }) {}`';
const change = "listen to 'change', which tells of all changes of a tick at once";
const query = 'set it on the store, with `sort()`, `filter()` or `search()`, before it loads';
// Loads and saves of a record take the callbacks of Ext JS, other calls do not.
const outcomes = {
  success: 'await the promise',
  failure: 'catch what the promise rejects with',
  callback: 'await the promise',
  onSuccess: 'await the promise',
  onError: 'catch what the promise rejects with',
};
const useProperty = 'use `property`';
const useDirection = 'use `direction`';
const propertyNames = { key: useProperty, name: useProperty, field: useProperty, column: useProperty };
const textOperators = 'use the operator `like`, which ignores case, or `contains`, which does not';
const directionNames = {
  dir: useDirection,
  order: useDirection,
  sort: useDirection,
  asc: "use `direction: 'ASC'`, which is the default",
  ascending: "use `direction: 'ASC'`, which is the default",
  desc: "use `direction: 'DESC'`",
  descending: "use `direction: 'DESC'`",
};

/** Remedies for option and event names of other libraries, by the kind of owner. */
const otherNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  model: {
    hasMany: embed,
    hasOne: refer,
    belongsTo: refer,
    associations: embed,
    relations: embed,
    validations: 'write `validators` into the options of the field',
    validators: 'write `validators` into the options of the field',
    extend: 'extend a class: `class Admin extends User.define({ … }) {}`',
    idgen: 'use `identifier`',
    idField: 'use `idProperty`',
    primaryKey: 'use `idProperty`',
    clientIdProperty: 'use `writer: { clientIdProperty }` of the proxy',
    versionProperty: 'use `lockVersion` of the dialect, or the extension `etags()`',
    manyToMany: 'declare the joining model, with a reference to each of the two',
    mixins: 'write a function that returns a class body, or a base class',
    requires: 'import the modules',
    methods: 'write methods into the class body',
    schema: 'use `fields`, which also takes the shape of a schema',
    properties: 'use `fields`',
    attributes: 'use `fields`',
    url: toProxy,
    baseUrl: toProxy,
    headers: toProxy,
    dialect: toProxy,
    // `define` knows these names, so that only `with` asks for their remedy.
    name: toDefine,
    fields: toDefine,
    idProperty: toDefine,
    actions: toDefine,
    matches: toDefine,
  },
  fieldType: {
    float: "use 'number'",
    double: "use 'number'",
    real: "use 'number'",
    integer: "use 'int'",
    decimal: "import `decimal` from 'repose', and write `decimal()`",
    bigint: "import `bigint` from 'repose', and write `bigint()`",
    long: "use 'int'; `bigint()` keeps more than 15 digits",
    bool: "use 'boolean'",
    text: "use 'string'",
    varchar: "use 'string'",
    uuid: "use 'string'",
    datetime: "use 'date', which is an instant",
    timestamp:
      "use `{ type: 'date', format: dateFormat('timestamp') }` for seconds, or `dateFormat('time')` for milliseconds",
    time: "use 'string'; `{ type: 'date', format: dateFormat('time') }` is an instant in milliseconds",
    money: 'use `decimal()`',
    currency: 'use `decimal()`',
    object: "use 'json'",
    array: "use 'json', or `json<string[]>()` for its type",
    any: "use 'auto'",
    mixed: "use 'auto'",
  },
  field: {
    name: 'the name of a field is its key in `fields`',
    default: 'use `defaultValue`',
    nullable: 'use `allowNull`',
    useNull: 'use `allowNull`',
    optional: 'use `allowNull`; a field without a value is undefined',
    required: 'use `validators: [presence()]`',
    validate: 'use `validators`',
    enum: "use `type: 'enum'` with `values: ['new', 'paid'] as const`",
    reference: 'name the model in `static references()`',
    get: 'write a getter into the class body, or use `calculate`',
    compute: 'use `calculate`',
    computed: 'use `calculate`',
    readOnly: 'use `persist: false` for a field that is never sent, or `calculate`',
    dateFormat: "use `format: dateFormat('d.m.Y')` with the type 'date' or 'dateonly'",
    dateReadFormat: 'use `format`, or `convert` where dates are written in another form than they are read',
    dateWriteFormat: 'use `format`, or `serialize` where dates are written in another form than they are read',
    critical: 'use `writer: { writeAllFields: true }`, or a `transform` of the writer that adds the member',
    allowBlank: 'use `validators: [presence()]` for a field that must have a value',
    unique: 'the server decides; its error of a field becomes one of `$.errors`',
    sortDir: 'use `sorters` of the store',
    identifier: 'write `identifier` into the options of the model, `define({ identifier })`',
    key: 'use `mapping`',
  },
  store: {
    listeners: 'listen with `store.on(event, listener)`',
    fields: 'declare them with `Model.define({ fields })`, and give the class as `model`',
    url: toProxy,
    baseUrl: toProxy,
    headers: toProxy,
    dialect: toProxy,
    reader: toProxy,
    extraParams: toProxy,
    params: 'use `proxy: { extraParams }`, or give `params` to `load()`',
    remoteGroup: 'grouping follows `remoteSort`',
    autoSync: 'call `store.sync()`',
    storeId: 'keep the store in a variable',
    buffered: 'use `windowOf(store)`',
    id: 'keep the store in a variable',
    source: 'use `viewOf(store)`, which shows the records of another store',
    trackRemoved: 'removed records wait for `sync()`: to forget them, call `commit()`; `reject()` shows them again',
    clearRemovedOnLoad: 'no load drops pending changes: `reject()` does',
    sortOnLoad:
      'a store that sorts always does: leave `sorters` out to keep the order of the server, or use `remoteSort: true`',
    sortOnFilter: 'a store that sorts always does',
    remoteSorters: 'use `remoteSort: true`',
    clearOnPageLoad:
      'a load of a page replaces the records: `loadMore()`, or `load({ page, addRecords: true })`, keeps them',
    batchUpdateMode: 'the changes of a tick are one `change`',
    defaultSortDirection: "name the direction of each sorter, `{ property: 'name', direction: 'DESC' }`",
    purgePageCount: 'use `keep` of `windowOf(store)`',
    numFromEdge: 'use `prefetch` of `windowOf(store)`',
    statefulFilters: 'keep `store.query.toJSON()`, and give it back with `setQuery()`',
    multiSortLimit: 'give `sort()` the sorters that you want',
    groupSorter: 'groups stand in the order of their values',
    scope: 'listeners are functions: use an arrow function, or `bind()`',
    leadingBufferZone: 'use `prefetch` of `windowOf(store)`',
    trailingBufferZone: 'use `keep` of `windowOf(store)`',
    limit: 'use `pageSize`',
    perPage: 'use `pageSize`',
    sort: 'use `sorters`',
    orderBy: 'use `sorters`',
    where: 'use `filters`',
    records: 'use `data`',
    rows: 'use `data`',
    items: 'use `data`',
  },
  proxy: {
    root: 'use `reader: { rootProperty }`',
    readProblem: 'use `reader: { problem }`',
    rootProperty: 'write it into `reader: { … }`',
    totalProperty: 'write it into `reader: { … }`',
    params: 'use `extraParams`',
    path: 'use `url`',
    endpoint: 'use `url`',
    host: 'use `baseUrl`',
    method: 'use `actionMethods: { update: … }`',
    methods: 'use `actionMethods`',
    credentials: 'use `withCredentials: true`',
    interceptors: 'use an extension: `use: [ … ]`',
    extensions: 'use `use`',
    plugins: 'use `use`',
    transformRequest: 'use `writer: { transform }`',
    transformResponse: 'use `reader: { transform }`',
    transform: 'use `reader: { transform }` or `writer: { transform }`',
    retry: 'use an extension: `use: [retry()]`',
    auth: 'use an extension: `use: [auth({ renew })]`',
    onUnauthorized: 'use an extension: `use: [auth({ renew })]`',
    etags: 'use an extension: `use: [etags()]`',
    buildUrl: 'override the method in a subclass, and give the class as `type`',
    listeners: 'use an extension: `use: [telemetry({ operation })]`',
    enablePaging: '`MemoryProxy` always pages',
    paramsAsJson: 'use `api: { list: { body: true }, read: { body: true } }`, which sends the parameters as JSON',
    directFn: 'write a proxy class, see “Recipes” in the guide “Come from Ext JS”',
    paramOrder: 'write a proxy class, see “Recipes” in the guide “Come from Ext JS”',
    callbackKey: 'JSONP is not supported: let the server send CORS headers',
    binary: 'use `proxy.send({ blob: true })`',
    username: 'use `headers`, also as a function, or the extension `auth()`',
    password: 'use `headers`, also as a function, or the extension `auth()`',
    model: 'give the proxy to the model, `define({ proxy })`',
    store: 'give the proxy to the store, `new Store({ model, proxy })`',
    disableCaching: 'use `noCache`',
    disableCachingParam: 'use `cacheString`',
    timeoutMs: 'use `timeout`, in milliseconds',
  },
  methods: {
    list: "use `read`; the address of a collection's read is `api: { list }`",
    delete: 'use `destroy`',
    erase: 'use `destroy`',
    remove: 'use `destroy`',
    save: 'use `create` or `update`',
    patch: "use `update: 'PATCH'`",
    load: 'use `read`',
  },
  dialect: { params: 'use the steps `page`, `search`, `sort` and `filter`' },
  reader: {
    root: 'use `rootProperty`',
    total: 'use `totalProperty`',
    next: 'use `nextProperty`',
    success: 'use `successProperty`',
    message: 'use `messageProperty`',
    etag: 'use `etagProperty`',
    idProperty: 'write it into the options of the model, `define({ idProperty })`',
    metaProperty: 'declare the fields with `Model.define({ fields })`: no response changes them',
    typeProperty: 'a store holds records of one model: load each kind with a model of its own',
    implicitIncludes: 'name the nested rows with `nested` in `static references()`',
    readRecordsOnFailure: 'rows of an answer that says that it failed are in `error.body`',
    keepRawData: 'a row is always kept, and sent back whole',
    preserveRawData: 'a row is always kept, and sent back whole',
    useSimpleAccessors: 'declare a `mapping` for a name with a dot: `"[\'a.b\']"`',
    groupRootProperty: 'use `groups()` of `repose/groups`',
    summaryRootProperty: 'use `groups()` of `repose/groups`',
    model: 'give it to the store, `new Store({ model })`',
  },
  writer: {
    root: 'use `rootProperty`',
    encode: 'use a `transform` which returns the form that the server reads',
    expandData: 'paths of a `mapping` are always written as such',
    allDataOptions: 'use `persist: false` of a field, or `transform`',
    partialDataOptions: 'use `persist: false` of a field, or `transform`',
    dateFormat: 'use `format` of the field',
  },
  call: {
    ...outcomes,
    error: outcomes.failure,
    query: 'use `params`',
    scope: 'use an arrow function, or `bind()`',
    timeout: 'use `signal: AbortSignal.timeout(ms)`, or the option `timeout` of the proxy for all calls',
    data: 'set values on the record before the call',
    body: 'set values on the record before the call; for other calls there are `actions` of the model and `proxy.send()`',
    method: 'use `actionMethods` of the proxy, an entry in `actions` of the model, or `proxy.send()`',
  },
  load: {
    offset: 'use `start`',
    skip: 'use `start`',
    pageSize: 'use `limit`',
    perPage: 'use `limit`',
    append: 'use `addRecords`',
    scope: 'use an arrow function, or `bind()`',
    synchronous: 'loads are asynchronous: await the promise',
    grouper: query,
    node: 'use a `TreeStore` of `repose/tree`',
    query: 'use `params`, or `store.search()`',
    filters: query,
    filter: query,
    sorters: query,
    sort: query,
    search: query,
    ...outcomes,
  },
  sync: {
    success: 'await the batch, and look at `batch.outcomes`',
    failure: 'await the batch, and look at `batch.failures`',
    callback: 'await the batch',
    progress: 'use `onProgress`',
    stopOnError: "use `onFailure: 'stop'`",
    rollback: 'use `onFailure: rollback`',
  },
  sorter: {
    ...propertyNames,
    ...directionNames,
    fn: 'use `sorterFn`',
    sortFn: 'use `sorterFn`',
    compare: 'use `sorterFn`',
    comparator: 'use `sorterFn`',
    root: 'use the path of the member as `mapping` of a field, and sort by the field',
    caseSensitive: 'use `locale`',
    ignoreCase: 'use `locale`',
  },
  grouper: {
    ...propertyNames,
    ...directionNames,
    groupFn: 'group by a getter of the model class',
    sorterFn: 'groups stand in the order of their values: use `sorters` for the order in a group',
  },
  filter: {
    ...propertyNames,
    dataIndex: useProperty,
    op: 'use `operator`',
    oper: 'use `operator`',
    comparison: 'use `operator`',
    comparator: 'use `operator`',
    condition: 'use `operator`',
    type: 'use `operator`; the type of the value is that of the field',
    val: 'use `value`',
    values: "use `operator: 'in'`, with the list as `value`",
    fn: 'use `filterFn`',
    filter: 'use `filterFn`',
    test: 'use `filterFn`',
    anyMatch: textOperators,
    exactMatch: "use `operator: 'eq'`, which is the default",
    caseSensitive: textOperators,
    ignoreCase: textOperators,
    enabled: 'use `disabled`',
    root: 'use the path of the member as `mapping` of a field, and filter by the field',
    filters: 'use `and` or `or`',
    conditions: 'use `and` or `or`',
  },
  event: {
    beforeload: 'use the option `canLoad` of the store',
    datachanged: change,
    refresh: change,
    add: change,
    remove: change,
    update: change,
    filter: "listen to 'filterchange'",
    group: "listen to 'groupchange'",
    clear: change,
    beforesort: "listen to 'sort', which follows each change of the order",
    beginupdate: change,
    endupdate: change,
    bulkremove: change,
    idchanged: change,
    remotesort: "listen to 'sort'",
    totalcountchange: 'follow `store.status`, which holds `total`',
    beforesync: 'do it before the call of `sync()`, or in the hook `capture` of an extension',
    prefetch: "listen to 'change' of `windowOf(store)`",
    beforeprefetch: 'use the option `canLoad` of the store',
    metachange: 'declare the fields with `Model.define({ fields })`: no response changes them',
    error: "listen to 'exception' of the store",
    fail: "listen to 'exception' of the store",
    sync: "listen to 'write' of the store, or await `sync()`",
  },
  outboxEvent: {
    error: "listen to 'failed' for writes that were refused, to 'problem' for what the storage could not do",
    success: "listen to 'sent'",
    drain: 'await `drained()`',
  },
  recordEvent: {
    change: "listen to 'set', or to 'change' of a store",
    save: "listen to 'commit', or await `save()`",
    destroy: "listen to 'erase'",
    delete: "listen to 'erase'",
  },
};

/** The remedy for a name of another library; undefined where none is known. */
export function otherName(kind: string, name: string): string | undefined {
  return getMember(getMember(otherNames, kind), name) as string | undefined;
}
