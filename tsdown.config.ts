import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type UserConfig } from 'tsdown';
import ts from 'typescript';

const dev = path.resolve(import.meta.dirname, 'src/dev');

/** Gives every importer of a module of `src/dev/` the module of `src/dev/production/` with the same name, if there is one. */
const withoutDevelopment = {
  name: 'without-development',
  resolveId(source: string, importer: string | undefined): string | undefined {
    if (!importer || !source.startsWith('.')) return undefined;
    const file = path.resolve(path.dirname(importer), source.replace(/\.js$/, '.ts'));
    const instead = path.join(dev, 'production', path.basename(file));
    return path.dirname(file) === dev && existsSync(instead) ? instead : undefined;
  },
};

/** The functions that make errors for developers, by the module that exports them. Their texts stand in the calls. */
const withTexts = new Map([
  ['option-rules', ['wrongValue']],
  ['unsupported-query-error', ['badValue', 'unsupported']],
  ['sent-query', ['refusal']],
]);

/** The values that functions of `src/dev/` return in a production build (`undefined`, `true`, `''`), by module and name. */
const constants = new Map(
  readdirSync(path.join(dev, 'production')).map((file) => [path.basename(file, '.ts'), constantsOf(file)]),
);

/** The functions of a module of `src/dev/production/` that return a constant. */
function constantsOf(file: string): ReadonlyMap<string, string> {
  const { statements } = parse(file, readFileSync(path.join(dev, 'production', file), 'utf8'));
  const declarations = statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  return new Map(
    declarations.flatMap(({ name, initializer }) => {
      if (!initializer || !ts.isArrowFunction(initializer)) return [];
      const value = initializer.body.getText();
      // A name would mean something else where the call stands.
      if (!/^(undefined|true|false|'')$/.test(value)) throw new Error(`${file}: ${name.getText()} returns no constant`);
      return [[name.getText(), value] as const];
    }),
  );
}

function parse(file: string, code: string): ts.SourceFile {
  return ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
}

/**
 * Leaves out what only a developer would see: the texts in the calls of `withTexts` (a production build shows the code of an error and the
 * address of its page instead), and the calls of checks, of which bundlers would keep the arguments.
 */
const withoutRemedies = {
  name: 'without-remedies',
  transform(code: string, file: string): string | undefined {
    if (!file.endsWith('.ts')) return undefined;
    const source = parse(file, code);
    const imports = source.statements.filter(ts.isImportDeclaration);
    const own = withTexts.get(path.basename(file, '.ts')) ?? [];
    const names = new Set([
      ...own,
      ...imports.flatMap((each) => importedNames(each, (module) => withTexts.get(module) ?? [])),
    ]);
    const checks = new Map(imports.flatMap(importedConstants));
    const edits: { readonly node: ts.Node; readonly text: string }[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
        const { text: name } = node.expression;
        const constant = checks.get(name);
        if (constant !== undefined) edits.push({ node, text: constant });
        if (names.has(name))
          for (const each of node.arguments) if (isText(each)) edits.push({ node: each, text: "''" });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    // From the end, so that the places before it stay what they are. Inside of one that is replaced, nothing is.
    const outer = edits.filter(
      ({ node }) => !edits.some((each) => each.node !== node && each.node.pos <= node.pos && node.end <= each.node.end),
    );
    return outer.reduceRight(
      (rest, { node, text }) => `${rest.slice(0, node.getStart())}${text}${rest.slice(node.end)}`,
      code,
    );
  },
};

/** Whether an argument is a text for developers: written there, a constant such as `FILTER_IN_STORE`, or made by a function such as `treeRemedy()`. */
function isText(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) return /Remedy$/.test(node.expression.getText());
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateExpression(node) ||
    (ts.isIdentifier(node) && /^[A-Z_]+$/.test(node.text))
  );
}

/** The names that a statement imports, of those that `namesOf` gives for its module. */
function importedNames(
  { moduleSpecifier, importClause }: ts.ImportDeclaration,
  namesOf: (module: string) => readonly string[],
): readonly string[] {
  const known = namesOf(path.basename((moduleSpecifier as ts.StringLiteral).text, '.js'));
  const bindings = importClause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings)) return [];
  return bindings.elements.map(({ name }) => name.text).filter((name) => known.includes(name));
}

/** The checks that a statement imports from `src/dev/`, each with what it returns in a production build. */
function importedConstants(statement: ts.ImportDeclaration): readonly (readonly [string, string])[] {
  const { text: module } = statement.moduleSpecifier as ts.StringLiteral;
  const values = /\/dev\/[\w-]+\.js$/.test(module) ? constants.get(path.basename(module, '.js')) : undefined;
  return values
    ? importedNames(statement, () => [...values.keys()]).map((name) => [name, values.get(name) ?? ''] as const)
    : [];
}

// One file per module (`unbundle`), so that bundlers drop what is not imported by the file, not by what they can prove about each class.
const shared: UserConfig = {
  entry: [
    'src/index.ts',
    'src/ag-grid.ts',
    'src/angular.ts',
    'src/diagnostics.ts',
    'src/dialects.ts',
    'src/groups.ts',
    'src/devtools.ts',
    'src/history.ts',
    'src/live.ts',
    'src/messages.ts',
    'src/mui-grid.ts',
    'src/namespace.ts',
    'src/outbox.ts',
    'src/react-admin.ts',
    'src/react.ts',
    'src/refine.ts',
    'src/solid.ts',
    'src/ssr.ts',
    'src/svelte.ts',
    'src/tanstack-query.ts',
    'src/tanstack-table.ts',
    'src/testing.ts',
    'src/tree.ts',
    'src/vue.ts',
    'src/xml.ts',
  ],
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  tsconfig: 'src/tsconfig.json',
  unbundle: true,
  fixedExtension: false,
  sourcemap: true,
  report: false,
  logLevel: 'warn',
};

export default defineConfig([
  { ...shared, outDir: 'dist', dts: { sourcemap: true }, clean: true },
  { ...shared, outDir: 'dist/production', dts: false, clean: false, plugins: [withoutDevelopment, withoutRemedies] },
]);
