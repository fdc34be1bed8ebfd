// on('change', ({ added, updated }) => …) → on('change', (change) => { const { added } = differenceOf(change); const { updated } = change; … })
const OF_DIFFERENCE = ['added', 'removed', 'moved', 'splices'];
const OF_CHANGE = ['updated', 'version'];

export const rules = [
  {
    kind: 'visit',
    visit(node, { ts, text, replace, addImport, note }) {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
      const { expression: owner, name } = node.expression;
      const [event, listener] = node.arguments;
      if (name.text !== 'on' || !event || !ts.isStringLiteral(event) || event.text !== 'change') return;
      if (!listener || !ts.isArrowFunction(listener) || /groups$/.test(text(owner))) return;
      const [parameter] = listener.parameters;
      if (!parameter || !ts.isObjectBindingPattern(parameter.name)) return;
      const names = parameter.name.elements.map(text);
      const differing = names.filter((each) => OF_DIFFERENCE.includes(each));
      const others = names.filter((each) => OF_CHANGE.includes(each));
      if (differing.length === 0) return;
      if (differing.length + others.length < names.length) return note(node, `${names.join(', ')} of a change`);
      const lines = [
        `const { ${differing.join(', ')} } = differenceOf(change);`,
        ...(others.length > 0 ? [`const { ${others.join(', ')} } = change;`] : []),
      ];
      const body = ts.isBlock(listener.body) ? text(listener.body).slice(1, -1).trim() : `${text(listener.body)};`;
      replace(listener, `(change) => {\n${lines.join('\n')}\n${body}\n}`);
      addImport('differenceOf');
    },
  },
];
