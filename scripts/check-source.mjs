// Checks rules that no linter has. In src/: effects at import, imports at run time, the one file that uses fetch.
// In src/ too: names of files that stand twice, the files that write the state of records. In the whole project: how comments begin.
import path from 'node:path';
import ts from 'typescript';
import { checkComments } from './check-comments.mjs';
import { checkWriters, WRITERS } from './check-writers.mjs';

/** The only file that may use the platform's `fetch`. */
const MAY_FETCH = 'http/send.ts';
/** Modules that a file may load while the package runs: optional packages only, because a chunk of our own could fail to load. */
const MAY_IMPORT = {
  'outbox/storage/indexed-db-storage.ts': ['idb'],
  'live/server-sent-events.ts': ['eventsource-parser'],
};
/** Folders with classes of objects that users hold: `#private` members fail on the proxies that UI frameworks wrap around them. */
const HELD = ['model/', 'operation/', 'store/'];

const root = path.resolve('src');
const program = programOf(path.join(root, 'tsconfig.json'));
const checker = program.getTypeChecker();
const problems = [];
/** Modules that are loaded while the package runs, as `file module`. */
const imported = new Set();
/** The text of each file. */
const texts = new Map();
let files = 0;

for (const source of program.getSourceFiles()) {
  const file = path.relative(root, source.fileName).replaceAll('\\', '/');
  if (file.startsWith('..') || source.isDeclarationFile) continue;
  files++;
  texts.set(file, source.text);
  visit(source, source, file);
  for (const statement of source.statements) checkTopLevel(statement, source, file);
}

for (const [file, modules] of Object.entries(MAY_IMPORT)) {
  for (const module of modules)
    if (!imported.has(`${file} ${module}`))
      problems.push(`${file}: import('${module}') is allowed in scripts/check-source.mjs, and is not there`);
}

const placeOf = new Map();
// A file of dev/production/ has the name of the one in whose place the production build puts it.
for (const file of [...texts.keys()].filter((each) => !each.startsWith('dev/production/'))) {
  const name = path.posix.basename(file);
  const other = placeOf.get(name);
  if (other) problems.push(`${file}: has the name of src/${other}; no file name stands twice`);
  placeOf.set(name, file);
}

problems.push(...checkWriters(texts));
for (const problem of problems) console.error(`src/${problem}`);
console.log(`${files} files, ${problems.length} problems`);

console.log(`${WRITERS.length} files may write the state of records`);

const comments = checkComments(path.resolve('.'));
for (const problem of comments.problems) console.error(problem);
console.log(`comments of ${comments.files} files, ${comments.problems.length} problems`);

if (problems.length + comments.problems.length > 0 || files === 0) process.exitCode = 1;

function programOf(configFile) {
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
  // The bindings are excluded only because their frameworks are not installed here.
  config.exclude = [];
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(configFile));
  return ts.createProgram(fileNames, options);
}

function report(node, source, file, message) {
  const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
  problems.push(`${file}:${line + 1}: ${message}`);
}

/** Checks each node. */
function visit(node, source, file) {
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    checkImport(node, source, file);
  if (ts.isIdentifier(node)) checkName(node, source, file);
  if (ts.isPrivateIdentifier(node) && HELD.some((folder) => file.startsWith(folder))) {
    report(node, source, file, `${node.text}: what users hold has no #private members`);
  }
  ts.forEachChild(node, (child) => visit(child, source, file));
}

function checkImport(node, source, file) {
  const [module] = node.arguments;
  if (module && ts.isStringLiteral(module) && MAY_IMPORT[file]?.includes(module.text)) {
    imported.add(`${file} ${module.text}`);
    return;
  }
  report(node, source, file, 'no import(): a file that cannot be loaded later would change what the package does');
}

function checkName(node, source, file) {
  if (node.text === 'fetch' && file !== MAY_FETCH && isGlobalValue(node)) {
    report(node, source, file, `only src/${MAY_FETCH} uses fetch`);
  }
  const called = ts.isCallExpression(node.parent) || ts.isNewExpression(node.parent);
  if (called && (node.text === 'eval' || node.text === 'Function') && isGlobalValue(node)) {
    report(node, source, file, 'no eval and no new Function: a strict content security policy forbids them');
  }
}

/** Whether an identifier reads a global of the platform at run time (the type `typeof fetch` does not). */
function isGlobalValue(node) {
  if (ts.isPartOfTypeNode(node) || ts.isPartOfTypeQuery(node)) return false;
  const symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  return (symbol?.declarations ?? []).some((declaration) =>
    program.isSourceFileDefaultLibrary(declaration.getSourceFile()),
  );
}

/** Importing a module does nothing that can be seen, and a module keeps no state that changes. */
function checkTopLevel(statement, source, file) {
  if (ts.isVariableStatement(statement)) {
    if (!(statement.declarationList.flags & ts.NodeFlags.Const)) {
      report(statement, source, file, 'no let or var at the top level: modules keep no state');
    }
    return;
  }
  const declares =
    ts.isImportDeclaration(statement) ||
    ts.isExportDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isModuleDeclaration(statement) ||
    // A directive such as 'use client'.
    (ts.isExpressionStatement(statement) && ts.isStringLiteral(statement.expression));
  if (!declares) report(statement, source, file, 'only declarations at the top level: importing has no effect');
}
