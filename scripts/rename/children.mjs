// Line.childrenOf(order, options) → childrenOf(order, Line, options), Tag.through(Tagging, post, options) → through(post, Tag, Tagging, options)
export const rules = [
  {
    kind: 'visit',
    visit(node, { ts, text, replace, addImport, note }) {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
      const { expression: model, name, questionDotToken } = node.expression;
      if (name.text !== 'childrenOf' && name.text !== 'through') return;
      if (!/(^|\.)[A-Z]\w*$|^\w+Model\(/.test(text(model)))
        return note(node, `${text(node.expression)} is no call of a model`);
      if (questionDotToken) return note(node, `${name.text} behind "?."`);
      const given = node.arguments.map(text);
      const [first, second, ...rest] = given;
      const args =
        name.text === 'childrenOf' ? [first, text(model), second, ...rest] : [second, text(model), first, ...rest];
      replace(node, `${name.text}(${args.filter((each) => each !== undefined).join(', ')})`);
      addImport(name.text);
    },
  },
];
