import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build as esbuild, type PluginBuild, transformSync } from 'esbuild';
import { defineConfig, type UserConfig } from 'tsdown';
import ts from 'typescript';

const source = path.resolve(import.meta.dirname, 'src');
const dev = path.join(source, 'dev');

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

const shared: UserConfig = {
  entry: [
    'src/index.ts',
    'src/ag-grid.ts',
    'src/angular.ts',
    'src/diagnostics.ts',
    'src/dialects.ts',
    'src/extend.ts',
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
  fixedExtension: false,
  sourcemap: false,
  report: false,
  logLevel: 'warn',
};

/**
 * The modules with a statement that runs when they are loaded, such as a constant that is computed or a class with static members. A
 * bundler drops such a statement only together with its file.
 */
async function modulesWithStatements(): Promise<ReadonlySet<string>> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const modules = files.map((name) => path.join(source, name));
  const { outputFiles } = await esbuild({
    entryPoints: modules.map((file, at) => ({ in: `alone:${file}`, out: `${at}` })),
    plugins: [{ name: 'alone', setup: importAlone }],
    outdir: source,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const isRun = modules.map((_, at) => outputFiles.find(({ path: file }) => path.basename(file) === `${at}.js`)?.text);
  return new Set(modules.filter((_, at) => isRun[at]?.replace(/import\s*"[^"]*";/g, '').trim()));
}

/** Lets esbuild read a file for its effects alone, without what it imports. */
function importAlone({ onResolve, onLoad }: PluginBuild): void {
  onResolve({ filter: /^alone:/ }, ({ path: name }) => ({ path: name.slice('alone:'.length), namespace: 'alone' }));
  onLoad({ filter: /./, namespace: 'alone' }, ({ path: file }) => ({
    contents: `import ${JSON.stringify(file)};`,
    resolveDir: path.dirname(file),
  }));
  onResolve({ filter: /./, namespace: 'alone' }, ({ path: file }) => ({ path: file, sideEffects: true }));
  onResolve({ filter: /./, namespace: 'file' }, ({ path: name }) => ({
    path: name,
    external: true,
    sideEffects: false,
  }));
  // As JavaScript, in which static members are statements.
  onLoad({ filter: /./, namespace: 'file' }, ({ path: file }) => ({ contents: javaScriptOf(file) }));
}

function javaScriptOf(file: string): string {
  const compilerOptions = { useDefineForClassFields: false, verbatimModuleSyntax: true };
  return transformSync(readFileSync(file, 'utf8'), { loader: 'ts', target: 'es2022', tsconfigRaw: { compilerOptions } })
    .code;
}

const alone = await modulesWithStatements();

/** The name of the file of a module that has one of its own. */
function ownFile(module: string): string | null {
  return alone.has(module) ? path.basename(module, '.ts') : null;
}

/** The name of the files of the other modules, one for each set of entries that use them. The file of an entry has nothing else. */
function sharedFile(module: string): string | null {
  const [folder, ...rest] = path.relative(source, module).split(path.sep);
  return folder && rest.length > 0 && !module.endsWith('.d.ts') ? folder : null;
}

/**
 * Files of several modules, because they load faster than hundreds, and keep their comments for those who step through them. What a
 * bundler could not leave out of a file stands in a file of its own, so that bundles are as small as with a file per module.
 */
const development: UserConfig = {
  ...shared,
  outDir: 'dist',
  dts: true,
  clean: true,
  // The groups of chunks below need this.
  inputOptions: { preserveEntrySignatures: 'allow-extension' },
  outputOptions: {
    chunkFileNames: ({ name }) => `chunks/${name.replace(/~.*|\.d$/, '')}.js`,
    minifyInternalExports: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: ownFile, priority: 1 },
        { name: sharedFile, entriesAware: true, entriesAwareMergeThreshold: 8_000 },
      ],
    },
  },
};

// One file per module (`unbundle`), so that bundlers drop what is not imported by the file, not by what they can prove about each class.
const production: UserConfig = {
  ...shared,
  outDir: 'dist/production',
  unbundle: true,
  dts: false,
  clean: false,
  plugins: [withoutDevelopment, withoutRemedies],
  outputOptions: { comments: { annotation: true, legal: true, jsdoc: false } },
};

export default defineConfig([development, production]);
