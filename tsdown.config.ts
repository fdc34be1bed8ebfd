import { existsSync } from 'node:fs';
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

/**
 * Leaves the texts out of the calls of `withTexts`: what was expected, and the remedy. A production build shows the code of an error and the
 * address of its page instead, so nobody would read them.
 */
const withoutRemedies = {
  name: 'without-remedies',
  transform(code: string, file: string): string | undefined {
    if (!file.endsWith('.ts')) return undefined;
    const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
    const names = new Set(source.statements.filter(ts.isImportDeclaration).flatMap(importedTexts));
    const texts: ts.Node[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && names.has(node.expression.text))
        texts.push(...node.arguments.filter((each) => ts.isStringLiteralLike(each) || ts.isTemplateExpression(each)));
      ts.forEachChild(node, visit);
    };
    visit(source);
    // From the end, so that the places before it stay what they are. Of nested texts, the outer one is left out.
    const outer = texts.filter(
      (text) => !texts.some((each) => each !== text && each.pos <= text.pos && text.end <= each.end),
    );
    return outer.reduceRight((rest, text) => `${rest.slice(0, text.getStart())}''${rest.slice(text.end)}`, code);
  },
};

/** The functions of `withTexts` that a statement imports. */
function importedTexts({ moduleSpecifier, importClause }: ts.ImportDeclaration): readonly string[] {
  const known = withTexts.get(path.basename((moduleSpecifier as ts.StringLiteral).text, '.js')) ?? [];
  const bindings = importClause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings)) return [];
  return bindings.elements.map(({ name }) => name.text).filter((name) => known.includes(name));
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
