import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { programOfEntries } from './declarations.js';
import { readPage, root, tableBelow } from './markdown.js';

const { text } = readPage('docs/glossary.md');

/** The exported classes and interfaces that have a public member of Repose, by the name of the member. */
function ownersByMember(): Map<string, Set<string>> {
  const { entries, program } = programOfEntries();
  const checker = program.getTypeChecker();
  const owners = new Map<string, Set<string>>();
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol;
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (!(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface))) continue;
      for (const member of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)))
        if (isOwnPublic(member)) owners.set(member.name, (owners.get(member.name) ?? new Set()).add(symbol.name));
    }
  }
  return owners;
}

/** Whether Repose declares a member, and applications may use it. */
function isOwnPublic({ declarations: [declaration] = [] }: ts.Symbol): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  if (!declaration || ts.getCombinedModifierFlags(declaration) & hidden) return false;
  return declaration.getSourceFile().fileName.startsWith(path.join(root, 'src') + path.sep);
}

/** The types that the table calls by a word. */
const WORDS: Record<string, readonly string[]> = {
  outbox: ['Outbox', 'ShownOutbox'],
  'its failed writes on a screen': ['FailedEntry'],
  records: ['Model', 'ModelEvents', 'Shown', 'RecordActions', 'WrittenRecord'],
  stores: ['Store'],
  sessions: ['Session', 'Fork'],
  forms: ['RecordForm'],
  hooks: ['FormBinding', 'RecordActions'],
  proxies: ['DataProxy', 'AjaxProxy', 'MemoryProxy', 'RestProxy'],
  lists: ['RecordView', 'Store', 'View', 'Splice', 'RecordWindow', 'StoreBinding', 'WindowBinding', 'WindowSnapshot'],
  trees: ['TreeStore'],
  pages: [
    'ResultSet',
    'ResultSetConfig',
    'CountAddress',
    'XmlOptions',
    'StoreStatus',
    'StoreState',
    'RecordedOperation',
  ],
  progress: ['SyncProgress', 'StreamProgress', 'UploadProgress'],
  'options of records': ['CallbackOptions', 'ReadOptions', 'RecordLoadOptions', 'SaveOptions'],
  '`success` of results': ['ResultSet', 'ResultSetConfig'],
};
/** Members that have nothing to do with the word: of a storage, of another library, of the words of HTTP. */
const OTHERS = new Set(['remove OutboxStorage', 'delete TypedCalls', 'send ShownOutbox']);

const namesIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

const owners = ownersByMember();

describe('docs/glossary.md', () => {
  test('has at most 30 words, each once, with a meaning and two words of other libraries', () => {
    const rows = tableBelow(text, '# Words');
    const words = rows.map(([word]) => word);
    expect(words.length).toBeGreaterThan(20);
    expect(words.length).toBeLessThanOrEqual(30);
    expect(new Set(words).size).toBe(words.length);
    for (const [, meaning, ext, tanstack] of rows)
      expect([meaning, ext, tanstack].every((cell) => (cell ?? '').length > 0)).toBe(true);
  });

  test('has one word for one meaning: no other public member has such a name', () => {
    const wrong = tableBelow(text, '## One word, one meaning').flatMap(([names = '', , where = '', goes = '']) => {
      const allowed = new Set(where.split(/[,;] /).flatMap((each) => WORDS[each] ?? namesIn(each)));
      const isWrong = (name: string, owner: string) => !allowed.has(owner) && !OTHERS.has(`${name} ${owner}`);
      const misused = namesIn(names).flatMap((name) =>
        [...(owners.get(name) ?? [])].filter((owner) => isWrong(name, owner)).map((owner) => `${owner}.${name}`),
      );
      const old = namesIn(goes).flatMap((name) =>
        [...(owners.get(name) ?? [])]
          .filter((owner) => !OTHERS.has(`${name} ${owner}`))
          .map((owner) => `${owner}.${name} is old`),
      );
      return [...misused, ...old, ...namesIn(names).filter((name) => !owners.has(name))];
    });
    expect(wrong).toEqual([]);
  });
});

test('a store has at most 45 public members, inherited ones included', () => {
  const members = [...owners].flatMap(([member, names]) => (names.has('Store') ? [member] : []));
  expect(members.length, members.join(' ')).toBeLessThanOrEqual(45);
  expect(members).toEqual(expect.arrayContaining(['load', 'query', 'status', 'pending', 'sync']));
});
