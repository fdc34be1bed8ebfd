import type { RecordId } from '../operation/actions.js';
import type { ContractRecord, Fixture } from './fixture.js';
import type { ContractCase } from './proxy-contract.js';
import { assertRejects, assertSame, assertThat } from './refusal.js';

/** Contract tests about reads. */
export const readingCases: readonly ContractCase[] = [
  {
    title: 'a record is found by its id, with the values that were written',
    async run(fixture) {
      const [record] = await fixture.createAll(1, 2);
      const loaded = await fixture.Row.load(fixture.id(record as never));
      assertSame(String(loaded.getId()), String(record?.getId()), 'the id');
      for (const [name, value] of Object.entries(fixture.options.values(1))) {
        assertSame(loaded.get(name), value, `the field '${name}'`);
      }
      assertThat(!loaded.phantom && !loaded.dirty, 'a loaded record is neither a phantom nor dirty');
    },
  },
  {
    title: 'a record is found by the text of its id',
    async run(fixture) {
      const record = await fixture.create(1);
      const loaded = await fixture.Row.load(String(fixture.id(record)));
      assertSame(loaded.get(fixture.options.text), fixture.text(1), 'the text');
    },
  },
  {
    title: 'a record that is read again has what is there now, its edits on top',
    async run(fixture) {
      const { text, number } = fixture.options;
      const record = (await fixture.createAll(1, 2))[1] as ContractRecord;
      const same = await fixture.Row.load(fixture.id(record));
      await same.set(text, fixture.text(3)).save();
      await record.set(number, fixture.number(4)).load();
      assertSame(record.get(text), fixture.text(3), 'the field that changed meanwhile');
      assertSame(record.get(number), fixture.number(4), 'the edited field');
    },
  },
  {
    title: 'an id that does not exist rejects with a DataError',
    async run(fixture) {
      const record = await fixture.create(1);
      const id = fixture.id(record);
      await record.erase();
      await assertMissing(fixture, id);
    },
  },
  {
    title: 'an id that is hard to address gives no other record',
    async run(fixture) {
      await fixture.createAll(1, 2);
      for (const id of ['..', 'a/b', '?x=1', '#', '%', '%2e%2e']) {
        await assertMissing(fixture, id);
      }
    },
  },
  {
    title: 'the list holds what was created',
    async run(fixture) {
      const records = await fixture.createAll(1, 2, 3);
      const ids = await fixture.ids();
      for (const record of records) assertThat(ids.has(String(fixture.id(record))), 'a created record is in the list');
    },
  },
  {
    title: 'pages hold no more rows than their limit and do not overlap',
    needs: 'paging',
    async run(fixture) {
      await fixture.createAll(1, 2, 3, 4, 5);
      const pages = [await fixture.page(1, 2), await fixture.page(2, 2)];
      for (const { rows } of pages) assertSame(rows.length, 2, 'rows of a page of 2');
      const four = await fixture.page(1, 4);
      assertSame(
        pages.flatMap((each) => idsOf(fixture, each.rows)),
        idsOf(fixture, four.rows),
        'two pages of 2 and one of 4',
      );
    },
  },
  {
    title: 'the total counts the whole collection',
    needs: 'total',
    async run(fixture) {
      await fixture.create(1);
      const before = (await fixture.page(1, 1)).total;
      await fixture.createAll(2, 3);
      assertThat(before !== undefined, 'a list has a total');
      assertSame((await fixture.page(1, 1)).total, Number(before) + 2, 'the total after two more creates');
    },
  },
  {
    title: 'sorting goes upwards and downwards',
    needs: 'sorting',
    async run(fixture) {
      await fixture.createAll(3, 1, 2);
      const { number: property } = fixture.options;
      for (const direction of ['ASC', 'DESC']) {
        const { rows } = await fixture.page(1, 20, { sorters: [{ property, direction }] });
        const numbers = rows
          .map((row) => fixture.Row.fromRow(row as object).get(property))
          .filter((each) => each !== null);
        const ordered = [...(numbers as number[])].sort((a, b) => (direction === 'ASC' ? a - b : b - a));
        assertThat(numbers.length >= 3, `the list sorted by '${property}' holds the created records`);
        assertSame(numbers, ordered, `'${property}' ${direction}`);
      }
    },
  },
  {
    title: 'a filter gives the rows that match, and no other',
    needs: 'filtering',
    async run(fixture) {
      const [first, second] = await fixture.createAll(1, 2);
      const { text, number } = fixture.options;
      const byText = { property: text, value: fixture.text(2) };
      const found = await filtered(fixture, [byText]);
      assertThat(found.includes(String(second?.getId())), 'the record that matches is there');
      assertThat(!found.includes(String(first?.getId())), 'the record that does not match is not there');
      const both = await filtered(fixture, [byText, { property: number, value: fixture.number(2) }]);
      assertThat(both.includes(String(second?.getId())), 'the record that matches two filters is there');
      const neither = await filtered(fixture, [byText, { property: number, value: fixture.number(1) }]);
      assertThat(!neither.includes(String(second?.getId())), 'a record that matches one of two filters is not there');
    },
  },
];

/** Asserts that a proxy rejects with a `DataError` or returns no row for a missing record, and that a model rejects in both cases. */
async function assertMissing(fixture: Fixture, id: RecordId): Promise<void> {
  const what = `reading '${id}', which does not exist`;
  const { rows } = await fixture.read({ id }).catch(async (error) => {
    await assertRejects(Promise.reject(error), what);
    return { rows: [] };
  });
  assertSame(rows, [], `rows of ${what}`);
  await assertRejects(fixture.Row.load(id), what);
}

function idsOf(fixture: Fixture, rows: readonly unknown[]): string[] {
  return rows.map((row) => String(fixture.model.rowId(row)));
}

async function filtered(fixture: Fixture, filters: readonly object[]): Promise<string[]> {
  return idsOf(fixture, (await fixture.page(1, 20, { filters })).rows);
}
