const stores = /^(?!.*session$)/i;

export const rules = [
  { kind: 'static', on: 'Query', name: 'fromJSON', to: 'queryFromJSON', entry: 'repose' },
  { kind: 'method', name: 'receive', of: ['store/store.ts'], to: 'receive', entry: 'repose', receiver: stores },
  {
    kind: 'method',
    name: 'refreshStale',
    of: ['store/store.ts'],
    to: 'refreshStale',
    entry: 'repose',
    receiver: stores,
  },
];
