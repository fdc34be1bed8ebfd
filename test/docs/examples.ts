import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as repose from 'repose';
import * as dialects from 'repose/dialects';
import * as extend from 'repose/extend';
import * as texts from 'repose/messages';
import ts from 'typescript';
import type { VirtualModule } from './check-types.js';
import { blocksOf, root } from './markdown.js';

/** Names that examples may use without declaring them; see `example-context.ts`. */
const CONTEXT = [
  'Folder',
  'folder',
  'target',
  'live',
  'recorder',
  'recording',
  'tree',
  'ApiModel',
  'User',
  'Line',
  'Order',
  'Post',
  'post',
  'Tag',
  'tag',
  'Tagging',
  'Task',
  'tasks',
  'session',
  'dialog',
  'steps',
  'user',
  'users',
  'order',
  'proxy',
  'token',
  'show',
  'Lib',
  'outbox',
  'Outbox',
  'indexedDbStorage',
  'xml',
];

/** The code of every `@example` in the comments of the source. */
export function readExamples(): VirtualModule[] {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .flatMap((file) => examplesOf(`src/${file.replaceAll('\\', '/')}`));
}

function examplesOf(file: string): VirtualModule[] {
  const comments = readFileSync(path.join(root, file), 'utf8')
    .split('\n')
    .map((line) => /^\s*(?:\/\*)?\*(?!\/)\s?(.*)$/.exec(line)?.[1] ?? '');
  // Examples in JSX (`tsx`) need a framework; the screens in test/frameworks compile such code.
  const examples = blocksOf(comments.join('\n')).filter(({ language }) => language === 'ts');
  return examples.map(({ code, line }) => {
    const names = namesIn(code);
    const from = (list: readonly string[]) => list.filter((name) => names.used.has(name) && !names.declared.has(name));
    const head = [
      `import type { ${from(TYPES).join(', ')} } from 'repose';`,
      `import { ${from(EXPORTS).join(', ')} } from 'repose';`,
      `import { ${from(EXTEND).join(', ')} } from 'repose/extend';`,
      `import { ${from(TEXTS).join(', ')} } from 'repose/messages';`,
      `import { ${from(DIALECTS).join(', ')} } from 'repose/dialects';`,
      `import { ${from(CONTEXT).join(', ')} } from './example-context.js';`,
    ].join(' ');
    return {
      file: `test/docs/example-${file.replace(/\W/g, '-')}-${line}.ts`,
      code: `${head}\n${code}\nexport {};`,
      where: (at) => `${file}:${line + at - 2}`,
    };
  });
}

const EXPORTS = Object.keys(repose);
const EXTEND = Object.keys(extend);
const TEXTS = Object.keys(texts);
const DIALECTS = Object.keys(dialects);
const TYPES = ['BodyCodec', 'Dialect', 'Extension'];

function namesIn(code: string): { used: Set<string>; declared: Set<string> } {
  const names = { used: new Set<string>(), declared: new Set<string>() };
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.ES2022, true);
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node)) names.used.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const declare = (name: ts.BindingName): void => {
    if (ts.isIdentifier(name)) names.declared.add(name.text);
    else for (const each of name.elements) if (ts.isBindingElement(each)) declare(each.name);
  };
  for (const statement of source.statements) {
    if (ts.isClassDeclaration(statement) && statement.name) names.declared.add(statement.name.text);
    if (ts.isVariableStatement(statement))
      for (const each of statement.declarationList.declarations) declare(each.name);
  }
  return names;
}
