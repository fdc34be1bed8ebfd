import ts from 'typescript';
import { type Block, blocksOf, type Page } from './markdown.js';

/** A statement of a snippet that is checked when it has run. */
export interface Step {
  /** Line in the page. */
  readonly line: number;
  /** Whether it waits for answers; until then the server holds them back. */
  readonly waits: boolean;
  /** The comments behind and below it that describe requests; undefined in a program, whose output is compared instead. */
  readonly requests: readonly string[] | undefined;
  /** The other comments: its output or its value. */
  readonly output: readonly string[];
}

/** The code of a page as one module: each block is a scope inside the block before, so that it sees that block's names. */
export interface Snippet {
  readonly file: string;
  /** TypeScript. */
  readonly code: string;
  /** Line in the page, by line of `code`, both from 1. */
  readonly lines: readonly number[];
  readonly steps: readonly Step[];
}

/** The module of a page; with `instrumented`, each statement calls a runner before and after it runs. */
export function snippetOf({ file, text }: Page, instrumented = false): Snippet {
  const imports = new Map<string, Set<string>>();
  const modules: { text: string; line: number }[] = [];
  const body: { text: string; line: number }[] = [];
  const steps: Step[] = [];
  const blocks = blocksOf(text).filter((block) => block.language === 'ts');
  for (const block of blocks) {
    const code = instrument(hoistModules(hoistImports(block, imports), block, modules), block, steps, instrumented);
    for (const [at, line] of code.split('\n').entries()) body.push({ text: line, line: block.line + at });
    body.push({ text: '{', line: block.line });
  }
  body.push({ text: '}'.repeat(blocks.length), line: blocks.at(-1)?.line ?? 1 });
  const head = [...imports].map(([from, names]) => ({ text: importOf(from, [...names]), line: blocks[0]?.line ?? 1 }));
  const lines = [...head, ...modules, ...body, { text: 'export {};', line: 1 }];
  return {
    file,
    code: lines.map((each) => each.text).join('\n'),
    lines: [0, ...lines.map((each) => each.line)],
    steps,
  };
}

function importOf(from: string, names: readonly string[]): string {
  const star = names.filter((name) => name.startsWith('*')).map((name) => `import ${name} from '${from}';`);
  const named = names.filter((name) => !name.startsWith('*'));
  return [...star, ...(named.length ? [`import { ${named.join(', ')} } from '${from}';`] : [])].join(' ');
}

function parse(code: string): ts.SourceFile {
  return ts.createSourceFile('snippet.ts', code, ts.ScriptTarget.ES2022, true);
}

/** Moves the imports of a block to the top of the module, because a block is a scope. */
function hoistImports({ code }: Block, imports: Map<string, Set<string>>): string {
  let rest = code;
  for (const statement of parse(code).statements.filter(ts.isImportDeclaration)) {
    const from = (statement.moduleSpecifier as ts.StringLiteral).text;
    const names = imports.get(from) ?? new Set();
    imports.set(from, names);
    const { namedBindings, isTypeOnly } = statement.importClause as ts.ImportClause;
    if (namedBindings && ts.isNamespaceImport(namedBindings)) names.add(`* as ${namedBindings.name.text}`);
    else {
      for (const each of (namedBindings as ts.NamedImports).elements) {
        names.add(isTypeOnly ? `type ${each.getText()}` : each.getText());
      }
    }
    const [start, end] = [statement.getStart(), statement.end];
    rest = rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, ' ') + rest.slice(end);
  }
  return rest;
}

/** Moves `declare module` to the top of the module, because a block is a scope. */
function hoistModules(code: string, block: Block, modules: { text: string; line: number }[]): string {
  let rest = code;
  const source = parse(code);
  for (const statement of source.statements.filter(ts.isModuleDeclaration)) {
    const [start, end] = [statement.getStart(), statement.end];
    const line = block.line + source.getLineAndCharacterOfPosition(start).line;
    for (const [at, text] of code.slice(start, end).split('\n').entries()) modules.push({ text, line: line + at });
    rest = rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, ' ') + rest.slice(end);
  }
  return rest;
}

/** Notes the steps of a block and, if asked to, puts the calls of the runner around them. */
function instrument(code: string, block: Block, steps: Step[], insert: boolean): string {
  if (block.prints) return instrumentProgram(code, block, block.prints, steps, insert);
  const source = parse(code);
  const comments = commentsIn(source);
  const lineOf = (position: number) => block.line + source.getLineAndCharacterOfPosition(position).line;
  const [first] = source.statements;
  const lost = comments.find(
    (each) => isRequest(each.text) && each.pos < (first?.getStart() ?? Number.POSITIVE_INFINITY),
  );
  if (lost) throw new Error(`line ${lineOf(lost.pos)}: '${lost.text}' stands behind no statement`);
  let result = '';
  let done = 0;
  for (const [at, statement] of source.statements.entries()) {
    const next = source.statements[at + 1]?.getStart() ?? code.length;
    const declares = isDeclaration(statement);
    const own = comments.filter(
      (each) => each.pos >= (declares ? statement.end : statement.getStart()) && each.pos < next,
    );
    const number = steps.length;
    const text = code.slice(statement.getStart(), statement.end);
    const said = own.map((each) => each.text);
    // Printed text can look like a request.
    const requests = text.startsWith('console.') ? [] : said.filter(isRequest);
    const output = said.filter((each) => !requests.includes(each));
    steps.push({ line: lineOf(statement.getStart()), waits: waits(statement), requests, output });
    if (!insert || declares) continue;
    result += code.slice(done, statement.getStart());
    const shown = output.length > 0 && isShown(statement);
    const value = shown ? `__value(${number}, (${text.replace(/;$/, '')}));` : text;
    // A statement that does not wait in the page must not wait here, so that ticks stay the same.
    const checked = steps[number]?.waits || said.length > 0;
    result += checked ? `__before(${number}); ${value} ;await __after(${number});` : `__before(${number}); ${text}`;
    done = statement.end;
  }
  return result + code.slice(done);
}

/** A program is checked at its end only: its output must equal the block of text below it. */
function instrumentProgram(
  code: string,
  block: Block,
  prints: readonly string[],
  steps: Step[],
  insert: boolean,
): string {
  const source = parse(code);
  let result = '';
  let done = 0;
  for (const statement of source.statements.filter((each) => !isDeclaration(each))) {
    const line = block.line + source.getLineAndCharacterOfPosition(statement.getStart()).line;
    result += `${code.slice(done, statement.getStart())}${insert ? `__before(${steps.length}); ` : ''}`;
    steps.push({ line, waits: waits(statement), requests: undefined, output: prints });
    done = statement.getStart();
  }
  return result + code.slice(done) + (insert ? ` ;await __after(${steps.length - 1});` : '');
}

function isDeclaration(statement: ts.Statement): boolean {
  return (
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  );
}

/** Whether a statement only shows a value. */
function isShown(statement: ts.Statement): boolean {
  if (!ts.isExpressionStatement(statement)) return false;
  const { expression } = statement;
  const assigns = ts.isBinaryExpression(expression) && expression.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return !assigns && !ts.isAwaitExpression(expression) && !statement.getText().startsWith('console.');
}

/** Whether a statement awaits something itself, not in a function that it makes. */
function waits(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node)) return true;
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return false;
  return ts.forEachChild(node, waits) ?? false;
}

/** The line comments of a text, without their slashes. */
function commentsIn(source: ts.SourceFile): { pos: number; text: string }[] {
  const found = new Map<number, string>();
  const note = (ranges: readonly ts.CommentRange[] | undefined) => {
    for (const { pos, end, kind } of ranges ?? []) {
      if (kind === ts.SyntaxKind.SingleLineCommentTrivia)
        found.set(pos, source.text.slice(pos + 2, end).replace(/^ /, ''));
    }
  };
  const visit = (node: ts.Node) => {
    const children = node.getChildren(source);
    if (children.length === 0) {
      note(ts.getLeadingCommentRanges(source.text, node.getFullStart()));
      note(ts.getTrailingCommentRanges(source.text, node.end));
    }
    for (const child of children) visit(child);
  };
  visit(source);
  return [...found].map(([pos, text]) => ({ pos, text })).sort((a, b) => a.pos - b.pos);
}

/** Whether a comment describes a request: `GET /users/7`. */
function isRequest(comment: string): boolean {
  return /^(GET|POST|PUT|PATCH|DELETE) \//.test(comment);
}
