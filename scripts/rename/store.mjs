const stores = /^(?!this$)(?!.*(window|view|panel|page|box|history|session|tree)$)/i;

export const rules = [
  { kind: 'method', name: 'window', of: ['store/main-store.ts'], to: 'windowOf', entry: 'repose', receiver: stores },
  {
    kind: 'getter',
    name: 'selection',
    of: ['store/store.ts'],
    to: 'selectionOf',
    entry: 'repose',
    receiver: /^(users|tasks|store|orders|people)$/,
  },
  { kind: 'method', name: 'view', of: ['store/collection.ts'], to: 'viewOf', entry: 'repose', receiver: stores },
  {
    kind: 'method',
    name: 'pages',
    of: ['store/store.ts'],
    to: 'pagesOf',
    entry: 'repose',
    receiver: /^(users|tasks|store|orders|people|rows)$/,
  },
  { kind: 'static', on: 'Store', name: 'of', to: 'listOf', entry: 'repose' },
  {
    kind: 'visit',
    visit(node, { ts, replace, addImport }) {
      // onFailure: 'rollback' → onFailure: rollback
      if (!ts.isPropertyAssignment(node) || node.name.getText() !== 'onFailure') return;
      if (!ts.isStringLiteral(node.initializer) || node.initializer.text !== 'rollback') return;
      replace(node.initializer, 'rollback');
      addImport('rollback');
    },
  },
];
