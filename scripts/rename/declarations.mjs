// Fields, references and actions that bring their code: `'decimal'` → `decimal()`, `[Line]` → `embed([Line])`, a field that `references()` names
// → `reference('int')`, `type: 'memory'` → `type: MemoryProxy`, `actions: { cancel: {} }` → `actions: { cancel: action() }`.
const CODED = ['decimal', 'bigint'];
/** Classes of JavaScript that a wrong declaration gives as a type. */
const BUILT_IN = ['String', 'Number', 'Boolean', 'Date', 'Object', 'Array', 'Map', 'Set'];
const PLAIN = ['auto', 'string', 'int', 'number', 'boolean', 'date', 'dateonly', 'enum', 'json'];

export const rules = [{ kind: 'visit', visit }];

function visit(node, context) {
  const { ts } = context;
  if (ts.isClassLike(node)) return noteReferences(node, context);
  if (!ts.isPropertyAssignment(node) && !ts.isShorthandPropertyAssignment(node)) return;
  const name = nameOf(node, context);
  const value = ts.isPropertyAssignment(node) ? unwrapped(node.initializer, context) : node.name;
  if (name === 'type' && textOf(value, context) === 'memory') {
    context.addImport('MemoryProxy');
    return context.replace(value, 'MemoryProxy');
  }
  if (name === 'fields' && ts.isObjectLiteralExpression(value)) return visitFields(node, value, context);
  if (name === 'actions' && ts.isObjectLiteralExpression(value)) return visitActions(value, context);
  // Fields that stand apart from `define`, beside others whose values can only be names of types.
  if (isIn(node, 'fields', context) || !ts.isObjectLiteralExpression(node.parent)) return;
  const { parent: holder } = node.parent;
  const isTypeAlone = name === 'type' && CODED.includes(textOf(value, context)) && !ts.isCallExpression(holder);
  if (isTypeAlone && !(ts.isPropertyAssignment(holder) && hasTypeNames(holder.parent, holder, context)))
    return declareType(node.parent, context);
  if (name !== 'type' && name !== 'model' && ts.isPropertyAssignment(node) && hasTypeNames(node.parent, node, context))
    declareField(node, value, [], context);
}

function visitFields(node, fields, context) {
  const { ts } = context;
  const references = referencesOf(node, context);
  for (const field of fields.properties) {
    if (ts.isSpreadAssignment(field)) {
      const spread = unwrapped(field.expression, context);
      if (ts.isObjectLiteralExpression(spread)) for (const each of spread.properties) fieldOf(each);
    } else fieldOf(field);
  }
  function fieldOf(field) {
    if (ts.isPropertyAssignment(field)) declareField(field, unwrapped(field.initializer, context), references, context);
  }
}

function declareField(field, value, references, context) {
  const { ts } = context;
  const isReference = references.includes(nameOf(field, context));
  const wrap = (type, options) => {
    const declared = declaredType(type, options, context);
    if (!isReference) return declared;
    context.addImport('reference');
    return declared ? `reference(${declared})` : `reference(${[context.text(type), ...options].join(', ')})`;
  };
  if (!ts.isObjectLiteralExpression(value)) {
    if (isReference && ts.isCallExpression(value) && value.expression.getText() === 'reference') return;
    const replaced = wrap(value, []);
    if (replaced) context.replace(field.initializer, replaced);
    return;
  }
  const type = value.properties.find((each) => nameOf(each, context) === 'type');
  if (!type) {
    if (isReference) {
      context.addImport('reference');
      context.replace(field.initializer, `reference('auto', ${context.text(value)})`);
    }
    return;
  }
  if (!ts.isPropertyAssignment(type)) return;
  const replaced = wrap(type.initializer, rest(value, type, context));
  if (replaced) context.replace(field.initializer, replaced);
}

/** `{ type: 'decimal', … }` outside of `fields`. */
function declareType(object, context) {
  const type = object.properties.find((each) => nameOf(each, context) === 'type');
  const target = context.ts.isAsExpression(object.parent) ? object.parent : object;
  context.replace(target, declaredType(type.initializer, rest(object, type, context), context));
}

/** The options of a field without its type, as the text of an object; an empty list if there are none. */
function rest(object, type, context) {
  const others = object.properties.filter((each) => each !== type).map((each) => context.text(each));
  return others.length > 0 ? [`{ ${others.join(', ')} }`] : [];
}

function declaredType(type, options, context) {
  const text = textOf(type, context);
  if (CODED.includes(text)) {
    context.addImport(text);
    return `${text}(${options.join('')})`;
  }
  const { ts } = context;
  const model = ts.isArrayLiteralExpression(type) ? type.elements[0] : type;
  if (!model || (ts.isArrayLiteralExpression(type) && type.elements.length !== 1) || !isModel(model, context))
    return undefined;
  context.addImport('embed');
  return `embed(${[context.text(type), ...options].join(', ')})`;
}

function isModel(node, context) {
  const { ts, checker } = context;
  const isDefined = ts.isCallExpression(node) && /\.define$/.test(node.expression.getText());
  if (!checker)
    return isDefined || (ts.isIdentifier(node) && /^[A-Z]/.test(node.text) && !BUILT_IN.includes(node.text));
  if (!ts.isIdentifier(node) && !ts.isCallExpression(node) && !ts.isPropertyAccessExpression(node)) return false;
  const type = checker.getTypeAtLocation(node);
  return type.getConstructSignatures().length > 0 && type.getProperty('define') !== undefined;
}

function visitActions(actions, context) {
  const { ts } = context;
  for (const each of actions.properties) {
    if (!ts.isPropertyAssignment(each)) continue;
    const value = unwrapped(each.initializer, context);
    if (!ts.isObjectLiteralExpression(value)) continue;
    // Only the options of an action: other libraries have `actions`, too.
    const names = value.properties.map((option) => nameOf(option, context));
    if (names.some((name) => !['method', 'path', 'on', 'body', 'reply'].includes(name))) continue;
    if (!isInDefine(actions, context)) continue;
    context.addImport('action');
    context.replace(each.initializer, names.length > 0 ? `action(${context.text(value)})` : 'action()');
  }
}

/** Whether an object is a part of the argument of `define`, or stands where no call is around it. */
function isInDefine(node, context) {
  for (let each = node.parent; each; each = each.parent)
    if (context.ts.isCallExpression(each)) return /\bdefine$/i.test(each.expression.getText());
  return true;
}

/** Leaves to a person the names in `references()` whose fields are declared elsewhere. */
function noteReferences(node, context) {
  const heritage = node.heritageClauses?.map((clause) => context.text(clause)).join(' ') ?? '';
  const isDeclared = (name) => new RegExp(`\\b${name}: (reference\\(|'|\\{)`).test(heritage);
  for (const name of returnedNames(node, context).filter((each) => !isDeclared(each)))
    context.note(node, `declare the field '${name}' by reference()`);
}

/** The names in `references()` of the class whose heritage holds a node. */
function referencesOf(node, context) {
  const { ts } = context;
  let holder = node;
  while (holder && !ts.isClassLike(holder)) holder = holder.parent;
  const isHeritage = holder?.heritageClauses?.some(
    (clause) => clause.getStart() <= node.getStart() && node.getEnd() <= clause.getEnd(),
  );
  return isHeritage ? returnedNames(holder, context) : [];
}

/** The names that `references()` of a class returns. */
function returnedNames(holder, context) {
  const { ts } = context;
  const member = holder.members.find((each) => nameOf(each, context) === 'references');
  const names = [];
  const visitReturned = (each) => {
    if (ts.isObjectLiteralExpression(each))
      names.push(...each.properties.map((property) => nameOf(property, context)).filter(Boolean));
    else ts.forEachChild(each, visitReturned);
  };
  if (member) {
    const body = member.body ?? member.initializer;
    if (body) visitReturned(body);
  }
  return names;
}

function hasTypeNames(object, node, context) {
  const { ts } = context;
  const others = object.properties.filter((each) => each !== node && ts.isPropertyAssignment(each));
  const isType = (each) => [...PLAIN, ...CODED].includes(textOf(unwrapped(each.initializer, context), context));
  return others.some(isType) && object.parent.kind !== ts.SyntaxKind.ArrayLiteralExpression;
}

function isIn(node, name, context) {
  const { ts } = context;
  for (let each = node.parent; each; each = each.parent) {
    if (ts.isPropertyAssignment(each) && nameOf(each, context) === name) return true;
    if (ts.isFunctionLike(each) || ts.isClassLike(each)) return false;
  }
  return false;
}

function unwrapped(node, { ts }) {
  let each = node;
  while (ts.isParenthesizedExpression(each) || ts.isAsExpression(each) || ts.isSatisfiesExpression(each))
    each = each.expression;
  return each;
}

function textOf(node, { ts }) {
  return ts.isStringLiteral(node) ? node.text : undefined;
}

function nameOf(node, { ts }) {
  const { name } = node;
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined;
}
