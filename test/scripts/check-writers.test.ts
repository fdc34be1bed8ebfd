import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkWriters, WRITERS, writesIn } from '../../scripts/check-writers.mjs';

describe('the check of the writers of record state', () => {
  test('knows at most four files, and each of them writes', () => {
    expect(WRITERS.length).toBeLessThanOrEqual(4);
    const sources = WRITERS.map((file) => [file, readFileSync(`src/${file}`, 'utf8')] as const);
    expect(checkWriters(sources)).toEqual([]);
  });

  test('refuses a fifth file that writes', () => {
    const sources = WRITERS.map((file) => [file, 'Object.assign(core, event);'] as const);
    const fifth = ['store/store.ts', 'const core = coreOf(record);\nObject.assign(core, event);'] as const;
    expect(checkWriters([...sources, fifth])).toEqual([
      'store/store.ts:2: writes the state of a record; call a function of src/model/settle.ts',
    ]);
  });

  test('refuses a file in the list that does not write any more', () => {
    expect(checkWriters([['model/a.ts', 'const row = record[ROW];']], ['model/a.ts'])).toEqual([
      'model/a.ts: may write the state of records, and does not',
    ]);
  });

  test.each([
    '(core as WritableCore).edits = undefined;',
    'confirmFields(core, () => true);',
    'record[ROW] = row;',
    '(record as Writable)[ROW] = row;',
    'record[CORE] ??= new RecordCore();',
    'record[CACHE][field.slot] = undefined;',
    'delete record[CORE];',
    'Object.assign(coreOf(record), { edits });',
    'Object.assign(core, { edits });',
    'Object.assign(copy, { [CORE]: core });',
    'Object.defineProperty(record, ROW, { value: row });',
  ])('sees that `%s` writes', (text) => {
    expect(writesIn('a.ts', text)).toEqual([1]);
  });

  test.each([
    'const { [ROW]: row, [CORE]: core } = record;',
    'const before = record[ROW];',
    'if (record[ROW] === row) show(record);',
    'Object.assign(operation, { params });',
    'const edits = coreOf(record).edits?.get(field);',
    'cache[field.slot] = value;',
  ])('sees that `%s` only reads', (text) => {
    expect(writesIn('a.ts', text)).toEqual([]);
  });
});
