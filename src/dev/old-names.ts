/** Members that are functions now: the call, the name of the function, and the entry that exports it if that is not 'repose'. */
export type OldNames = Readonly<Record<string, readonly [instead: string, name: string, entry?: string]>>;

// Members that are functions now. Refused until version 1.

export const oldStoreNames: OldNames = {
  window: ['windowOf(store, config)', 'windowOf'],
  selection: ['selectionOf(store)', 'selectionOf'],
  view: ['viewOf(store, config)', 'viewOf'],
  receive: ['receive(store, rows, options)', 'receive'],
  refreshStale: ['refreshStale(store)', 'refreshStale'],
  pages: ['pagesOf(store, query)', 'pagesOf'],
};

export const oldChangeNames: OldNames = {
  added: ['differenceOf(change).added', 'differenceOf'],
  removed: ['differenceOf(change).removed', 'differenceOf'],
  moved: ['differenceOf(change).moved', 'differenceOf'],
  splices: ['differenceOf(change).splices', 'differenceOf'],
};

export const oldStoreStatics: OldNames = {
  of: ['listOf(rows)', 'listOf'],
  parts: ['windowOf(store)', 'windowOf'],
};

export const oldQueryStatics: OldNames = {
  fromJSON: ['queryFromJSON(Model, data)', 'queryFromJSON'],
};

export const oldProxyNames: OldNames = {
  explain: ['explain(proxy, operation)', 'explain'],
};

export const oldSessionNames: OldNames = {
  fork: ['fork(session)', 'fork'],
  changes: ['changesOf(session)', 'changesOf'],
  apply: ['applyChanges(session, changes)', 'applyChanges'],
  history: ['historyOf(session, options)', 'historyOf', 'repose/history'],
};

export const oldSessionStatics: OldNames = {
  parts: ['historyOf(session)', 'historyOf', 'repose/history'],
};

export const oldModelNames: OldNames = {
  fields: ['fieldsOf(Model)', 'fieldsOf'],
  childrenOf: ['childrenOf(record, Model, options)', 'childrenOf'],
  through: ['through(record, Model, Joining, options)', 'through'],
  parts: ['childrenOf(record, Model)', 'childrenOf'],
};

export const oldStateNames: OldNames = {
  copy: ['copyOf(record, id)', 'copyOf'],
  settle: ['decide(record, row)', 'decide'],
};
