/** The name of a property, as it is written. */
const nameOf = (node) => node.name?.text ?? node.name?.getText();

export const rules = [
  {
    kind: 'method',
    name: 'explain',
    of: ['proxy/ajax-proxy.ts', 'proxy/data-proxy.ts'],
    to: 'explain',
    entry: 'repose',
    receiver: /proxy$/i,
  },
  {
    kind: 'visit',
    visit(node, { ts, text, replace, edit, addImport }) {
      if (!ts.isPropertyAssignment(node)) return;
      const { initializer: value } = node;
      // countUrl: '/users/count' → countUrl: rowCount('/users/count')
      const isAddress = ts.isStringLiteralLike(value) || ts.isObjectLiteralExpression(value);
      if (nameOf(node) === 'countUrl' && isAddress) {
        replace(value, `rowCount(${text(value)})`);
        addImport('rowCount');
      }
      // plain({ filter: { eq: '…' } }) → plain({ filter: filterTemplates({ eq: '…' }) })
      const call = node.parent?.parent;
      const isOption = call && ts.isCallExpression(call) && /^(plain|linkHeader)$/.test(call.expression.getText());
      if (nameOf(node) === 'filter' && isOption && ts.isObjectLiteralExpression(value)) {
        edit(value.getStart(), value.getStart(), 'filterTemplates(');
        edit(value.getEnd(), value.getEnd(), ')');
        addImport('filterTemplates');
      }
    },
  },
];
