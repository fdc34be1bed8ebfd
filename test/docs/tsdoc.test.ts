import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
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

test('every exported name has TSDoc', { timeout: 90_000 }, () => {
  const entries = [
    'index',
    'ag-grid',
    'angular',
    'core',
    'devtools',
    'diagnostics',
    'dialects',
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
  const program = ts.createProgram(files, { module: ts.ModuleKind.NodeNext, moduleResolution: resolution });
  expect(files.flatMap((file) => undocumented(program, file))).toEqual([]);
});
