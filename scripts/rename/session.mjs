const sessions = /^(session|parent|other)$/;

export const rules = [
  { kind: 'method', name: 'fork', of: ['sync/main-session.ts'], to: 'fork', entry: 'repose', receiver: sessions },
  {
    kind: 'method',
    name: 'changes',
    of: ['sync/main-session.ts'],
    to: 'changesOf',
    entry: 'repose',
    receiver: sessions,
  },
  {
    kind: 'method',
    name: 'apply',
    of: ['sync/main-session.ts'],
    to: 'applyChanges',
    entry: 'repose',
    receiver: sessions,
  },
  {
    kind: 'getter',
    name: 'history',
    of: ['sync/session.ts'],
    to: 'historyOf',
    entry: 'repose/history',
    receiver: sessions,
  },
];
