import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { programOfEntries } from './declarations.js';
import { blocksOf, proseOf, readPage, readPages, root, tableBelow } from './markdown.js';

const { program } = programOfEntries();
const checker = program.getTypeChecker();
const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(path.join(root, 'src') + path.sep));

/** The objects that texts name in lower case, and the types that they have. */
const objects: Record<string, string> = {
  store: 'Store',
  view: 'View',
  window: 'RecordWindow',
  session: 'Session',
  proxy: 'RestProxy',
  operation: 'Operation',
  outbox: 'Outbox',
  conflict: 'Conflict',
};

/** The names of the members of an exported class or interface. */
function membersOf(name: string): Set<string> {
  for (const entry of ['index', 'outbox']) {
    const file = program.getSourceFile(path.join(root, 'src', `${entry}.ts`)) as ts.SourceFile;
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(file) as ts.Symbol);
    const symbol = exported.find((each) => each.name === name);
    if (!symbol) continue;
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(own));
    return new Set(members.map((each) => each.name));
  }
  throw new Error(`no entry exports ${name}`);
}

/** Every name that the source declares or reads, and every text in it that could be a name. */
function namesIn(files: readonly ts.SourceFile[]): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.add(node.text);
    else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node))
      for (const word of node.text.match(/[\w$]+/g) ?? []) names.add(word);
    ts.forEachChild(node, visit);
  };
  for (const file of files) visit(file);
  return names;
}

/** Names of other software, of HTTP, and of data in examples. */
const foreign = [
  // react-admin, Refine and the MUI X Data Grid
  'total_gte ncontains nbetween nstartswith ina nina eqs nes useCustom onDataSourceError',
  // TanStack Query
  'fetchQuery fetchTodoList isFetching staleTime refetchInterval refetchOnWindowFocus onMutate useInfiniteQuery HydrationBoundary retryDelay',
  // Vue
  'onErrorCaptured',
  'DOM today Link qs fsync instanceof typeof strictNullChecks',
  'setGlobalFilter maxBlocksInCache inRangeInclusive rowModelType setSorting paginatedRowModel useTable',
  'runInInjectionContext novalidate createRoot shallowRef useQuery useSuspenseQuery useMutation mutate',
  'me Users injectSuspenseList created_at firstName first_name picklist to_xml access_token',
];
const members = new Map(Object.entries(objects).map(([object, name]) => [object, membersOf(name)]));
const known = namesIn(program.getSourceFiles());

/** The texts in backticks, with their lines. */
function namesInCode(text: string): { name: string; line: number }[] {
  return text
    .split('\n')
    .flatMap((content, at) =>
      [...content.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, name = '']) => ({ name, line: at + 1 })),
    );
}

/** Why a text in backticks names nothing that exists. Undefined for one that does, and for one that is no name. */
function wrongName(text: string, others: ReadonlySet<string>): string | undefined {
  const [, object = '', member = ''] = /^(\w+)\.([a-zA-Z]\w*)/.exec(text) ?? [];
  if (members.has(object)) return members.get(object)?.has(member) ? undefined : `${object} has no ${member}`;
  const [, name = ''] = /^([A-Za-z_]\w*)(?:\(.*\)|: .*)?$/.exec(text) ?? [];
  return !name || known.has(name) || others.has(name) ? undefined : `there is no ${name}`;
}

const words = (texts: readonly string[]) => new Set(texts.flatMap((text) => text.match(/[\w$]+/g) ?? []));

/** The names that are wrong in the texts of a file, with the line of each. */
function wrongNames(file: string, texts: readonly { text: string; line: number }[], code: readonly string[]): string[] {
  const others = words(code);
  return texts.flatMap(({ text, line: first }) =>
    namesInCode(text).flatMap(({ name, line }) => {
      const why = wrongName(name, others);
      return why ? [`${file}:${first + line - 1}: ${why}`] : [];
    }),
  );
}

test('guides and references name only what exists', () => {
  // These pages are about names of other software.
  const pages = readPages().filter(
    ({ file }) =>
      /^(?:README|docs)/.test(file) &&
      !/dialects\/|inside\/(decisions|testing)|errors|glossary|servers|ext-js|new-server/.test(file),
  );
  expect(pages.length).toBeGreaterThan(30);
  const code = (text: string) => blocksOf(text).map((block) => block.code);
  const wrong = pages.flatMap(({ file, text }) =>
    wrongNames(file, [{ text: proseOf(text), line: 1 }], [...code(text), ...foreign]),
  );
  expect(wrong).toEqual([]);
});

test('comments of the source name only what exists', () => {
  const wrong = own.flatMap(({ fileName, text }) => {
    const file = path.relative(root, fileName).replaceAll('\\', '/');
    // Dialects name parameters and classes of the servers.
    if (file.startsWith('src/dialect/')) return [];
    const comments = [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)];
    const texts = comments.map(({ 0: comment, index }) => ({
      text: comment,
      line: text.slice(0, index).split('\n').length,
    }));
    return wrongNames(file, texts, [
      ...comments.flatMap(([comment]) => comment.match(/```[\s\S]*?```/g) ?? []),
      ...foreign,
    ]);
  });
  expect(wrong).toEqual([]);
});

/** The names of the members of what a function of the binding for React returns; none for a type that only its arguments know. */
function givenMembers(name: string): Set<string> {
  const binding = program.getSourceFile(path.join(root, 'src/react.ts')) as ts.SourceFile;
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(binding) as ts.Symbol);
  const symbol = exported.find((each) => each.name === name);
  if (!symbol) throw new Error(`repose/react has no ${name}`);
  const returned = checker.getTypeOfSymbol(symbol).getCallSignatures()[0]?.getReturnType() as ts.Type;
  return new Set(checker.getPropertiesOfType(checker.getApparentType(returned)).map((each) => each.name));
}

test('the guide of the bindings names members that their functions give', () => {
  const rows = tableBelow(readPage('docs/guide/bindings.md').text, '## Functions');
  const found = rows.map(([call = '', gives = '']) => {
    const [, name = ''] = /`(\w+)\(/.exec(call) ?? [];
    const members = givenMembers(name);
    // Another function has the same members, or they belong to one of the members.
    const [own = ''] = gives.split(/As `|activity of `|; each of `/);
    const named = [...own.matchAll(/`(\w+)(?:\([^`]*\))?`/g)].map(([, member = '']) => member);
    const wrong = named.filter((member) => !members.has(member)).map((member) => `${name}: ${member}`);
    return { checked: members.size > 0 && named.length > 0, wrong };
  });
  expect(found.flatMap(({ wrong, checked }) => (checked ? wrong : []))).toEqual([]);
  expect(found.filter(({ checked }) => checked).length).toBeGreaterThan(7);
});

test('a name that does not exist is found', () => {
  const none = new Set<string>();
  expect(wrongName('store.snapshot', none)).toBe('store has no snapshot');
  expect(wrongName('pageSizes: 25', none)).toBe('there is no pageSizes');
  expect(wrongName('useLists(tasks)', none)).toBe('there is no useLists');
  expect(wrongName('store.list', none)).toBeUndefined();
  expect(wrongName('pageSize: 25', none)).toBeUndefined();
});
