const ofState = { copy: 'copyOf', settle: 'decide' };

export const rules = [
  {
    kind: 'getter',
    name: 'fields',
    of: ['model/infer.ts', 'model/model.ts'],
    to: 'fieldsOf',
    entry: 'repose',
    receiver: /^(User|Member|Order|Customer|Product|Line|Model)$/,
  },
  {
    kind: 'visit',
    visit(node, { ts, text, replace, addImport, note }) {
      // record.$.copy(id) → copyOf(record, id), record.$.settle(row) → decide(record, row)
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
      const { expression: state, name, questionDotToken } = node.expression;
      if (!Object.hasOwn(ofState, name.text) || !ts.isPropertyAccessExpression(state) || state.name.text !== '$')
        return;
      const to = ofState[name.text];
      if (questionDotToken || state.questionDotToken) return note(node, `${name.text} behind "?." becomes ${to}(…)`);
      replace(node, `${to}(${[state.expression, ...node.arguments].map(text).join(', ')})`);
      addImport(to);
    },
  },
];
