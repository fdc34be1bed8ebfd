// Values that bring their code: `format: 'd.m.Y'` of a date → `dateFormat('d.m.Y')`, `identifier: 'uuid'` → `uuid()`, and a list of names as
// `idProperty` → `compositeId('orderId', 'line')`.
export const rules = [{ kind: 'visit', visit }];

function visit(node, { ts, replace, addImport, text }) {
  if (!ts.isPropertyAssignment(node)) return;
  const value = ts.isAsExpression(node.initializer) ? node.initializer.expression : node.initializer;
  const isText = ts.isStringLiteral(value);
  const name = text(node.name);
  if (name === 'identifier' && isText && value.text === 'uuid') {
    replace(node.initializer, 'uuid()');
    addImport('uuid');
  } else if (name === 'idProperty' && ts.isArrayLiteralExpression(value)) {
    replace(node.initializer, `compositeId(${value.elements.map(text).join(', ')})`);
    addImport('compositeId');
  } else if (name === 'format' && isText && isDate(node.parent, text)) {
    replace(node.initializer, `dateFormat(${text(value)})`);
    addImport('dateFormat');
  }
}

/** Whether an object declares a field with a type of dates. */
function isDate(object, text) {
  return object.properties.some(
    (each) =>
      each.name && text(each.name) === 'type' && /^'(date|dateonly)'$/.test(text(each.initializer ?? each.name)),
  );
}
