// Turns code that uses old names of the package to the new ones: tests, documents, examples and the demo, or an application.
// usage: node scripts/rename.mjs [--only NAME]... [--dry] [PATH]...
// The rules are in scripts/rename/*.mjs. Where a program with types can be made, a rule asks which file declares a member; in the
// code of Markdown, Vue and Svelte it goes by names. What a rule leaves to a person is printed with file and line.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '..');
const FOLDERS = ['test', 'docs', 'examples', 'demo', 'bench', 'conformance', 'site', 'skills', 'README.md'];
const SKIPPED = /(^|\/)(node_modules|dist|coverage|reports|fixtures|\.cache)(\/|$)|package-lock\.json$/;
/** A replacement may stand inside another one, which is then made in the next pass. */
const MOST_PASSES = 6;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true }, dry: { type: 'boolean' } },
});

const rules = await loadRules(values.only);
const files = (positionals.length > 0 ? positionals : FOLDERS)
  .map((each) => path.resolve(root, each))
  .filter(existsSync)
  .flatMap(filesBelow);
const notes = new Set();
const changed = new Set();

for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
  const edited = runPass(pass === 1 ? files : files.filter((file) => changed.has(file)));
  for (const file of edited) changed.add(file);
  if (edited.length === 0 || values.dry) break;
}
for (const note of notes) console.log(note);
console.log(`${changed.size} of ${files.length} files ${values.dry ? 'would change' : 'changed'}`);

async function loadRules(only) {
  const folder = path.join(import.meta.dirname, 'rename');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => name.slice(0, -4))
    .filter((name) => !only || only.includes(name));
  const modules = await Promise.all(names.map((name) => import(`./rename/${name}.mjs`)));
  return modules.flatMap(({ rules: each }) => each);
}

function filesBelow(place) {
  if (SKIPPED.test(path.relative(root, place))) return [];
  if (statSync(place).isDirectory()) return readdirSync(place).flatMap((name) => filesBelow(path.join(place, name)));
  return /\.(ts|tsx|mts|mjs|js|jsx|md|vue|svelte)$/.test(place) && !place.endsWith('.d.ts') ? [place] : [];
}

/** Applies the rules once to each file. Returns the files that changed. */
function runPass(places) {
  const typed = places.filter((file) => /\.(ts|tsx|mts)$/.test(file));
  const program = ts.createProgram(typed, optionsOf());
  const checker = program.getTypeChecker();
  return places.filter((file) => {
    const before = readFileSync(file, 'utf8');
    const source = typed.includes(file) ? program.getSourceFile(file) : undefined;
    const after = source ? transform({ source, file, code: before, checker }) : transformParts(file, before);
    if (after === before) return false;
    if (!values.dry) writeFileSync(file, after);
    return true;
  });
}

function optionsOf() {
  const config = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  // Every entry leads to its source, also those that tsconfig.json leaves to the suites of the frameworks.
  const entries = Object.keys(exports).filter((name) => name !== './package.json');
  const paths = Object.fromEntries(
    entries.map((name) => [
      `repose${name.slice(1)}`,
      [path.join(root, 'src', `${name === '.' ? 'index' : name.slice(2)}.ts`)],
    ]),
  );
  return { ...options, paths: { ...options.paths, ...paths }, noEmit: true, skipLibCheck: true };
}

/** The code blocks of Markdown, and the scripts of Vue and Svelte, each a piece of code without types. */
function transformParts(file, text) {
  if (file.endsWith('.md'))
    return text.replace(
      /(^[ \t]*```(?:ts|tsx|js|jsx|typescript|javascript)[^\n]*\n)([\s\S]*?)(^[ \t]*```)/gm,
      (_, open, code, close) => {
        return open + transformText(file, code, 'tsx') + close;
      },
    );
  if (/\.(vue|svelte)$/.test(file))
    return text.replace(/(<script[^>]*>)([\s\S]*?)(<\/script>)/g, (_, open, code, close) => {
      return open + transformText(file, code, 'ts') + close;
    });
  return transformText(file, text, 'js');
}

function transformText(file, code, extension) {
  const source = ts.createSourceFile(`part.${extension}`, code, ts.ScriptTarget.Latest, true);
  return transform({ source, file, code, checker: undefined });
}

/** Applies all rules to one piece of code. */
function transform({ source, file, code, checker }) {
  const edits = [];
  const added = [];
  const removed = new Set();
  const context = {
    ts,
    checker,
    file,
    source,
    text: (node) => node.getText(source),
    /** The file that declares the member or value which a node names: `src/store/store.ts`. Undefined without types, or if unknown. */
    declaredIn(node) {
      let symbol = checker?.getSymbolAtLocation(node);
      if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
      const declaration = symbol?.declarations?.[0];
      return declaration && path.relative(root, declaration.getSourceFile().fileName);
    },
    replace(node, text) {
      edits.push({ start: node.getStart(source), end: node.getEnd(), text });
    },
    /** Replaces a part of the code that is no node. */
    edit(start, end, text) {
      edits.push({ start, end, text });
    },
    addImport(name, entry = 'repose', isType = false) {
      added.push({ name, entry, isType });
    },
    removeImport(name) {
      removed.add(name);
    },
    /** Leaves a place to a person. */
    note(node, message) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      notes.add(`${path.relative(root, file)}:${line + 1}: ${message}`);
    },
  };
  const visit = (node) => {
    for (const rule of rules) apply(rule, node, context);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const outcome = write(code, edits);
  if (edits.length === 0 && added.length === 0 && removed.size === 0) return code;
  return withImports(outcome, { added, removed, file, extension: path.extname(source.fileName) });
}

function apply(rule, node, context) {
  if (rule.kind === 'visit') return rule.visit(node, context);
  if (!ts.isPropertyAccessExpression(node) || node.name.text !== rule.name) return;
  if (rule.kind === 'static') {
    if (node.expression.getText() === rule.on && isCalled(node)) {
      context.replace(node, rule.to);
      context.addImport(rule.to, rule.entry);
    }
    return;
  }
  if (!belongs(rule, node, context)) return;
  if (node.questionDotToken) return context.note(node, `${rule.name} behind "?." becomes ${rule.to}(…)`);
  const open = `${rule.to}(`;
  if (rule.kind === 'getter') {
    context.edit(node.getStart(), node.getStart(), open);
    context.edit(node.expression.getEnd(), node.getEnd(), ')');
  } else if (isCalled(node)) {
    const [first] = node.parent.arguments;
    context.edit(node.getStart(), node.getStart(), open);
    context.edit(node.expression.getEnd(), first ? first.getFullStart() : node.parent.getEnd() - 1, first ? ', ' : '');
  } else return context.note(node, `${rule.name} without a call becomes ${rule.to}`);
  context.addImport(rule.to, rule.entry);
}

/** Whether a property is the member that a rule is about. */
function belongs(rule, node, context) {
  const place = context.declaredIn(node.name);
  if (place !== undefined) return rule.of.some((end) => place.endsWith(end));
  if (context.checker) return false;
  return rule.receiver?.test(node.expression.getText()) ?? true;
}

function isCalled(node) {
  return ts.isCallExpression(node.parent) && node.parent.expression === node;
}

/** Makes the edits that do not stand inside a larger one; those follow in the next pass. */
function write(code, edits) {
  const sorted = edits
    .filter((edit) => !edits.some((other) => other !== edit && contains(other, edit)))
    .sort((a, b) => b.start - a.start || b.end - a.end);
  // Edits at one place were noted from the outside to the inside.
  let text = code;
  for (const group of grouped(sorted)) {
    const [{ start, end }] = group;
    text = text.slice(0, start) + group.map((each) => each.text).join('') + text.slice(end);
  }
  return text;
}

function grouped(sorted) {
  const groups = new Map();
  for (const each of sorted) {
    const key = `${each.start}-${each.end}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return groups.values();
}

function contains(outer, inner) {
  const isLarger = outer.end - outer.start > inner.end - inner.start;
  const isAtItsEdge = inner.start === inner.end && (inner.start === outer.start || inner.end === outer.end);
  return isLarger && !isAtItsEdge && outer.start <= inner.start && inner.end <= outer.end;
}

/** Adds and removes names of the imports. A piece of Markdown without imports takes its names from its page, so none is added there. */
function withImports(code, { added, removed, file, extension }) {
  let text = code;
  const parse = () => ts.createSourceFile(`imports${extension}`, text, ts.ScriptTarget.Latest, true);
  const used = (name, source) => {
    let found = false;
    const visit = (node) => {
      if (ts.isImportDeclaration(node)) return;
      if (
        ts.isIdentifier(node) &&
        node.text === name &&
        !(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node)
      )
        found = true;
      else ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  };
  for (const { name, entry, isType } of added) {
    const source = parse();
    const imports = source.statements.filter(ts.isImportDeclaration);
    const names = (each) => each.importClause?.namedBindings?.elements?.map((element) => element.name.text) ?? [];
    if (imports.some((each) => names(each).includes(name) && !each.importClause.isTypeOnly)) continue;
    const same = imports.find(
      (each) =>
        leadsTo(each.moduleSpecifier.text, entry) &&
        each.importClause?.namedBindings?.elements &&
        (isType || !each.importClause.isTypeOnly),
    );
    if (same) {
      const { elements } = same.importClause.namedBindings;
      const at = elements.length > 0 ? elements.at(-1).getEnd() : same.importClause.namedBindings.getStart() + 1;
      text = `${text.slice(0, at)}${elements.length > 0 ? ', ' : ' '}${isType && !same.importClause.isTypeOnly ? 'type ' : ''}${name}${text.slice(at)}`;
    } else if (imports.length > 0 || !file.endsWith('.md')) {
      const at = imports.length > 0 ? imports[0].getStart() : firstLine(text);
      const indent = /[ \t]*$/.exec(text.slice(0, at))[0];
      text = `${text.slice(0, at)}import ${isType ? 'type ' : ''}{ ${name} } from '${entry}';\n${indent}${text.slice(at)}`;
    }
  }
  for (const name of removed) {
    const source = parse();
    if (used(name, source)) continue;
    for (const each of source.statements.filter(ts.isImportDeclaration)) {
      const elements = each.importClause?.namedBindings?.elements;
      const at = elements?.findIndex((element) => element.name.text === name) ?? -1;
      if (at < 0) continue;
      if (elements.length === 1 && !each.importClause.name) {
        text = text.slice(0, each.getStart()) + text.slice(each.getEnd()).replace(/^\r?\n/, '');
      } else {
        const rest = elements.filter((_, index) => index !== at).map((element) => element.getText());
        const bindings = each.importClause.namedBindings;
        text = `${text.slice(0, bindings.getStart())}{ ${rest.join(', ')} }${text.slice(bindings.getEnd())}`;
      }
      break;
    }
  }
  return text;
}

/** Whether a module is an entry of the package: by its name, or by the path of its source. */
function leadsTo(specifier, entry) {
  const name = entry === 'repose' ? 'index' : entry.replace('repose/', '');
  return specifier === entry || new RegExp(`(^|/)src/${name}\\.[jt]s$`).test(specifier);
}

/** The place behind a comment or a line for the shell at the beginning of a file. */
function firstLine(text) {
  return /^(#!.*\n|\s*\/\*\*[\s\S]*?\*\/\s*\n|\s*\/\/.*\n)*/.exec(text)[0].length;
}
