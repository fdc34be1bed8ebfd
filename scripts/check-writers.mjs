// Finds the files that write the state of a record: its row, its edits and the state of its writes. At most four may: see
// docs/inside/architecture.md, "Who writes the state of a record".
import ts from 'typescript';

/** The files of src/ that may write the state of a record. */
export const WRITERS = ['model/parts/embedded.ts', 'model/record-core.ts', 'model/record.ts', 'model/settle.ts'];
/** The names of `record-core.ts` by which a core is changed, whose fields are `readonly` for everybody else. */
const TOOLS = ['WritableCore', 'markUnconfirmed', 'confirmFields'];
/** The keys of the members that a record may only get from its writers. */
const KEYS = ['ROW', 'CACHE', 'CORE'];

/** Checks the sources of src/, as pairs of file and text. Returns a problem for each place that writes where it may not. */
export function checkWriters(sources, allowed = WRITERS) {
  const found = [...sources].map(([file, text]) => ({ file, places: writesIn(file, text) }));
  const problems = found
    .filter(({ file }) => !allowed.includes(file))
    .flatMap(({ file, places }) =>
      places.map((line) => `${file}:${line}: writes the state of a record; call a function of src/model/settle.ts`),
    );
  const idle = allowed.filter((file) => !found.some((each) => each.file === file && each.places.length > 0));
  return [...problems, ...idle.map((file) => `${file}: may write the state of records, and does not`)];
}

/** The lines of a file in which it writes the state of a record. */
export function writesIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = new Set();
  const visit = (node) => {
    if (writes(node)) lines.add(source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...lines];
}

function writes(node) {
  if (ts.isIdentifier(node)) return TOOLS.includes(node.text);
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    return assigns && isMember(node.left);
  }
  if (ts.isDeleteExpression(node)) return isMember(node.expression);
  // A literal such as `{ [ROW]: row }` is what `Object.assign` takes. A pattern, `const { [ROW]: row } = record`, only reads.
  if (ts.isPropertyAssignment(node)) return ts.isComputedPropertyName(node.name) && isKey(node.name.expression);
  if (!ts.isCallExpression(node)) return false;
  const [target, key] = node.arguments;
  const called = node.expression.getText();
  if (called === 'Object.defineProperty' || called === 'Reflect.set') return key !== undefined && isKey(key);
  return called === 'Object.assign' && target !== undefined && isCore(target);
}

/** Whether an expression is a member of a record, a member of such a member, or one in brackets or with another type. */
function isMember(node) {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node))
    return isMember(node.expression);
  return (
    ts.isElementAccessExpression(node) &&
    (isKey(node.argumentExpression) || (ts.isElementAccessExpression(node.expression) && isMember(node.expression)))
  );
}

function isKey(node) {
  return ts.isIdentifier(node) && KEYS.includes(node.text);
}

/** Whether an expression is the core of a record: `coreOf(record)`, `record[CORE]` or a variable with that name. */
function isCore(node) {
  if (ts.isCallExpression(node)) return node.expression.getText() === 'coreOf';
  return isMember(node) || (ts.isIdentifier(node) && /^core$|Core$/.test(node.text));
}
