import fc from 'fast-check';
import { embed, Model } from 'repose';
import { describe, expect, test } from 'vitest';
import { inner } from '../../src/model/record.js';
import { ROW } from '../../src/model/symbols.js';

class Inside extends Model.define({ fields: { text: 'string' } }) {}
class Sample extends Model.define({
  fields: {
    id: 'int',
    name: 'string',
    count: 'number',
    at: 'date',
    data: 'json',
    deep: { type: 'string', mapping: 'nest.deep' },
    local: { type: 'string', persist: false },
    inside: embed(Inside),
  },
}) {}
const ROW_7 = {
  id: 7,
  name: 'a',
  count: 1,
  at: '1970-01-01T00:00:00.000+00:00',
  data: { x: [1] },
  nest: { deep: 'd', more: 1 },
  inside: { text: 'in', more: 2 },
  undeclared: [null],
};

/** Few values, so that edits often return to the old value. */
const VALUES: Record<string, fc.Arbitrary<unknown>> = {
  name: fc.constantFrom('a', 'b', ''),
  count: fc.constantFrom(1, 2, '1'),
  at: fc.constantFrom(0, 5).map((time) => new Date(time)),
  data: fc.constantFrom({ x: [1] }, { x: [2] }, null, []),
  deep: fc.constantFrom('d', 'e'),
  local: fc.constantFrom('x', 'y', undefined),
};
type Op =
  | { do: 'set'; field: string; value: unknown }
  | { do: 'inside'; text: string }
  | { do: 'commit' | 'reject' | 'read' };
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.oneof(
      ...Object.entries(VALUES).map(([field, values]) => values.map((value) => ({ do: 'set' as const, field, value }))),
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom('in', 'side').map((text) => ({ do: 'inside' as const, text })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('commit', 'reject', 'read').map((each) => ({ do: each })) as fc.Arbitrary<Op>,
  },
);

function run(record: Sample, each: Op): void {
  if (each.do === 'set') record.set({ [each.field]: each.value } as never);
  else if (each.do === 'inside') record.inside.text = each.text;
  else if (each.do === 'read') void record.$.data;
  else record[each.do]();
}
/** The visible values as plain data. */
const visible = (record: Sample) => JSON.parse(JSON.stringify(record));
const rowOf = (record: Sample) => JSON.parse(JSON.stringify(inner(record)[ROW]));
const records = fc.constantFrom(
  () => Sample.fromRow(structuredClone(ROW_7)),
  () => new Sample({ name: 'a', count: 1, inside: new Inside({ text: 'in' }) }),
);
const property = (check: (record: Sample, ops: Op[]) => void) =>
  fc.assert(
    fc.property(records, fc.array(op, { maxLength: 12 }), (make, ops) => check(make(), ops)),
    { numRuns: 400 },
  );

describe('commit', () => {
  test('changes no value, leaves no edit, and does nothing the second time', () => {
    property((record, ops) => {
      for (const each of ops) run(record, each);
      const before = visible(record);
      record.commit();
      expect([visible(record), record.dirty, record.$.modified]).toEqual([before, false, {}]);
      const row = rowOf(record);
      record.commit();
      record.reject();
      expect([visible(record), rowOf(record)]).toEqual([before, row]);
    });
  });

  test('writes the edited values into the row, and nothing else', () => {
    property((record, ops) => {
      let row = rowOf(record);
      for (const each of ops) {
        if (each.do !== 'commit') {
          run(record, each);
          expect(rowOf(record)).toEqual(row);
          continue;
        }
        const { modified } = record.$;
        record.commit();
        const next = rowOf(record);
        for (const name of new Set([...Object.keys(row), ...Object.keys(next)])) {
          const field = name === 'nest' ? 'deep' : name;
          if (!(field in modified)) expect(next[name]).toEqual(row[name]);
        }
        row = next;
      }
    });
  });
});

describe('reject', () => {
  test('restores the values of the last commit, and does nothing the second time', () => {
    property((record, ops) => {
      let committed = visible(record);
      for (const each of ops) {
        run(record, each);
        if (each.do === 'commit') committed = visible(record);
        if (each.do === 'reject') expect([visible(record), record.dirty]).toEqual([committed, false]);
      }
      record.reject();
      record.reject();
      expect([visible(record), record.dirty, record.$.modified]).toEqual([committed, false, {}]);
    });
  });
});

describe('edits', () => {
  test('are the fields whose value differs from the base, with the new and the old value', () => {
    property((record, ops) => {
      let base = record.$.data as Record<string, unknown>;
      let inside = record.inside.text;
      for (const each of ops) {
        run(record, each);
        if (each.do === 'commit') {
          base = record.$.data as Record<string, unknown>;
          inside = record.inside.text;
        }
        const { data, modified, previousValues } = record.$ as unknown as Record<string, Record<string, unknown>>;
        const changed = Object.entries(data ?? {}).filter(([name, value]) =>
          name === 'inside' ? record.inside.text !== inside : JSON.stringify(value) !== JSON.stringify(base[name]),
        );
        expect(modified).toEqual(Object.fromEntries(changed));
        expect(Object.keys(previousValues ?? {}).sort()).toEqual(changed.map(([name]) => name).sort());
        for (const [name] of changed) if (name !== 'inside') expect(previousValues?.[name]).toEqual(base[name]);
        expect(record.dirty).toBe(changed.some(([name]) => name !== 'local'));
      }
    });
  });

  test('emit an event for each field that changes, and only then', () => {
    property((record, ops) => {
      let reported: string[] = [];
      record.on('set', ({ modified }) => reported.push(...Object.keys(modified)));
      for (const each of ops) {
        if (each.do === 'reject') continue;
        const before = visible(record);
        reported = [];
        run(record, each);
        const after = visible(record);
        expect(reported).toEqual(
          Object.keys({ ...before, ...after }).filter(
            (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
          ),
        );
      }
    });
  });
});
