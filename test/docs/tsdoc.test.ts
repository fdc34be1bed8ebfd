import path from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from './markdown.js';

/** Names that an entry exports without TSDoc. */
function undocumented(program: ts.Program, file: string): string[] {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol;
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter((symbol) => !(symbol.flags & ts.SymbolFlags.Module) && !symbol.getDocumentationComment(checker).length)
    .map(({ name }) => name);
}

/** Public methods without TSDoc, of the classes that an entry exports; what a base class or an interface says counts. */
function undocumentedMethods(program: ts.Program, file: string): string[] {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol;
  const classes = checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter(({ flags }) => flags & ts.SymbolFlags.Class);
  return classes.flatMap((each) =>
    checker
      .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(each))
      .filter(isOwnPublicMethod)
      .filter((method) => !method.getDocumentationComment(checker).length)
      .map((method) => `${each.name}.${method.name}`),
  );
}

/** Whether a member is a method that Repose declares for applications. */
function isOwnPublicMethod({ flags, name, declarations = [] }: ts.Symbol): boolean {
  const [declaration] = declarations;
  if (!(flags & ts.SymbolFlags.Method) || name.startsWith('__@') || !declaration) return false;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return !(ts.getCombinedModifierFlags(declaration) & hidden) && declaration.getSourceFile().fileName.includes('/src/');
}

describe('TSDoc', () => {
  const entries = [
    'index',
    'ag-grid',
    'angular',
    'devtools',
    'diagnostics',
    'dialects',
    'extend',
    'groups',
    'mui-grid',
    'namespace',
    'outbox',
    'react',
    'react-admin',
    'refine',
    'solid',
    'svelte',
    'tanstack-query',
    'tanstack-table',
    'testing',
    'history',
    'live',
    'tree',
    'vue',
    'xml',
  ];
  const files = entries.map((name) => path.join(root, 'src', `${name}.ts`));
  const { NodeNext: resolution } = ts.ModuleResolutionKind;
  let program: ts.Program;

  beforeAll(() => {
    program = ts.createProgram(files, { module: ts.ModuleKind.NodeNext, moduleResolution: resolution });
  });

  test('is written for every exported name', { timeout: 90_000 }, () => {
    expect(files.flatMap((file) => undocumented(program, file))).toEqual([]);
  });

  test('is written for every public method of a class', { timeout: 90_000 }, () => {
    expect(files.flatMap((file) => undocumentedMethods(program, file))).toEqual([]);
  });
});
