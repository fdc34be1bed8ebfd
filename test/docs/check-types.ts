import path from 'node:path';
import ts from 'typescript';
import { root } from './markdown.js';

/** A module that exists in memory only. */
export interface VirtualModule {
  /** Path in the project that the module pretends to have. */
  readonly file: string;
  readonly code: string;
  /** Names a line of the module in messages. */
  where(line: number): string;
}

/** Errors of the compiler in modules that import the package by its name. */
export function checkTypes(modules: readonly VirtualModule[]): string[] {
  const options = optionsOf(path.join(root, 'tsconfig.json'));
  const virtual = new Map(modules.map((each) => [path.join(root, each.file), each]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => virtual.has(file) || fileExists(file);
  host.readFile = (file) => virtual.get(file)?.code ?? readFile(file);
  host.getSourceFile = (file, target, ...rest) => {
    const found = virtual.get(file);
    return found ? ts.createSourceFile(file, found.code, target, true) : getSourceFile(file, target, ...rest);
  };
  const program = ts.createProgram([...virtual.keys()], options, host);
  return [...virtual].flatMap(([file, module]) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((found) => {
      const { line } = ts.getLineAndCharacterOfPosition(source as ts.SourceFile, found.start ?? 0);
      return `${module.where(line + 1)}: ${ts.flattenDiagnosticMessageText(found.messageText, '\n')}`;
    });
  });
}

function optionsOf(config: string): ts.CompilerOptions {
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, root);
  return { ...options, noUnusedLocals: false, noUnusedParameters: false };
}
