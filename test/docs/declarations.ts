import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from './markdown.js';

/** A member of an interface of the source. */
export interface Member {
  readonly name: string;
  /** Text of its `@default`; '' without one. */
  readonly default: string;
}

/** The members that an interface declares itself, without inherited ones. */
export function membersOf(file: string, name: string): Member[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const found = source.statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === name);
  if (!found) throw new Error(`${file} declares no interface ${name}`);
  return (found as ts.InterfaceDeclaration).members.map((member) => {
    const [tag] = ts.getJSDocTags(member).filter((each) => each.tagName.text === 'default');
    return { name: (member.name as ts.Identifier).text, default: ts.getTextOfJSDocComment(tag?.comment) ?? '' };
  });
}

/** The entries of the package, and a program of all that they declare. */
export function programOfEntries(): { readonly entries: readonly string[]; readonly program: ts.Program } {
  const entries = readdirSync(path.join(root, 'src'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(root, 'src', name));
  const { NodeNext: moduleResolution } = ts.ModuleResolutionKind;
  const lib = ['lib.dom.d.ts', 'lib.es2023.d.ts'];
  return { entries, program: ts.createProgram(entries, { module: ts.ModuleKind.NodeNext, moduleResolution, lib }) };
}
