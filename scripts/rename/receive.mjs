export const rules = [{ kind: 'static', on: 'Query', name: 'fromJSON', to: 'queryFromJSON', entry: 'repose' }];
