// Checks that the declarations in dist/*.d.ts contain no `any`, neither written nor inferred, except for a list with reasons.
// usage: node scripts/check-declarations.mjs
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import ensureBuilt from './ensure-built.mjs';
import { runChecks } from './typescript.mjs';

const dist = path.resolve(import.meta.dirname, '../dist');

/** Members whose type must be `any`, with the reasons. */
const allowed = {
  'FieldConfig.calculate': "the record's type is not known before its fields are declared",
  'FieldConfig.convert': 'what a server sends has no type before it is converted',
  'FieldConfig.serialize': "the value's type is not known before the field is declared",
};

export const declarationCheck = {
  name: 'no `any` in the declarations',
  run: async () => {
    const files = readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.d.ts'));
    const found = files.flatMap((file) => anysOf(file.replaceAll('\\', '/')));
    const wrong = found.filter(({ name }) => !(name in allowed)).map(({ place, what }) => `${place}: ${what}`);
    for (const place of Object.keys(allowed)) {
      if (!found.some((each) => each.name === place))
        wrong.push(`${place}: no \`any\` there any more, take it off the list`);
    }
    return {
      ok: wrong.length === 0 && files.length > 0,
      note: `${files.length} files, ${Object.keys(allowed).length} allowed`,
      output: wrong.join('\n'),
    };
  },
};

/** Every place of a declaration file at which `any` is written or would be inferred. */
function anysOf(file) {
  const text = readFileSync(path.join(dist, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node, names) => {
    // Private members have no type in a declaration file, and no user can read them.
    if (ts.canHaveModifiers(node) && node.modifiers?.some((each) => each.kind === ts.SyntaxKind.PrivateKeyword)) return;
    const own = ts.isVariableDeclaration(node) || isMember(node) || ts.isTypeElement(node) || isNamed(node);
    const path = own && node.name ? [...names, node.name.getText(source)] : names;
    const name = path.join('.');
    const report = (what) => found.push({ name, place: `${file} ${name}`, what });
    if (node.kind === ts.SyntaxKind.AnyKeyword) report('any');
    if (isUntyped(node)) report('no type');
    ts.forEachChild(node, (child) => visit(child, path));
  };
  visit(source, []);
  return found;
}

const isMember = (node) => ts.isClassElement(node);
const isNamed = (node) =>
  ts.isClassDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isFunctionDeclaration(node);

/** Whether a declaration has no written type: in a declaration file its type is then `any`. */
function isUntyped(node) {
  if (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node)) {
    return !node.type && !node.initializer;
  }
  if (ts.isParameter(node)) return !node.type && !ts.isSetAccessor(node.parent);
  return (
    (ts.isMethodSignature(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isGetAccessor(node) ||
      ts.isCallSignatureDeclaration(node) ||
      ts.isConstructSignatureDeclaration(node)) &&
    !node.type
  );
}

if (pathToFileURL(process.argv[1]).href === import.meta.url) {
  ensureBuilt();
  if (!(await runChecks([declarationCheck]))) process.exitCode = 1;
}
