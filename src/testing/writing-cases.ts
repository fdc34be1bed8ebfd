import { Store } from '../store/store.js';
import type { ContractRecord } from './fixture.js';
import type { ContractCase } from './proxy-contract.js';
import { assertRejects, assertSame, assertThat } from './refusal.js';

/** Contract tests about writes. */
export const writingCases: readonly ContractCase[] = [
  {
    title: 'create gives each record an id of its own',
    async run(fixture) {
      const records = await fixture.createAll(1, 2);
      const ids = records.map((record) => String(fixture.id(record)));
      assertSame(new Set(ids).size, 2, 'different ids');
      for (const record of records)
        assertThat(!record.phantom && !record.dirty, 'a saved record is neither phantom nor dirty');
    },
  },
  {
    title: 'update writes what was edited',
    async run(fixture) {
      const { text, number } = fixture.options;
      const [record, other] = (await fixture.createAll(1, 2)) as [ContractRecord, ContractRecord];
      await record.set(text, fixture.text(3)).save();
      const loaded = await fixture.Row.load(fixture.id(record));
      assertSame(loaded.get(text), fixture.text(3), 'the edited field');
      assertSame(loaded.get(number), fixture.number(1), 'a field that was not edited');
      assertSame((await fixture.Row.load(fixture.id(other))).get(text), fixture.text(2), 'another record');
    },
  },
  {
    title: 'update keeps the members that its model does not declare',
    needs: 'undeclared',
    async run(fixture) {
      const { text, number } = fixture.options;
      const id = fixture.id(await fixture.create(1));
      const narrow = await fixture.Narrow.load(id);
      await narrow.set(text, fixture.text(2)).save();
      const loaded = await fixture.Row.load(id);
      assertSame(loaded.get(text), fixture.text(2), 'the edited field');
      assertSame(loaded.get(number), fixture.number(1), 'a member that the model of the update does not declare');
    },
  },
  {
    title: 'erase takes the record out of the list and leaves the others',
    async run(fixture) {
      const [record, other] = (await fixture.createAll(1, 2)) as [ContractRecord, ContractRecord];
      const id = String(fixture.id(record));
      await record.erase();
      assertThat(!(await fixture.ids()).has(id), 'the erased record is not in the list');
      assertThat(await fixture.holds(other), 'the other record is in the list');
    },
  },
  {
    title: 'update and erase of a record that is gone reject with a DataError',
    needs: 'gone',
    async run(fixture) {
      const record = await fixture.create(1);
      const [updated, erased] = [
        await fixture.Row.load(fixture.id(record)),
        await fixture.Row.load(fixture.id(record)),
      ];
      await record.erase();
      await assertRejects(updated.set(fixture.options.text, fixture.text(2)).save(), 'updating a record that is gone');
      await assertRejects(erased.erase(), 'erasing a record that is gone');
      assertThat(!erased.erased, 'a record whose erase failed is not erased');
    },
  },
  {
    title: 'operations on several records at once do not mix',
    async run(fixture) {
      const { text } = fixture.options;
      const numbers = [1, 2, 3, 4, 5, 6];
      const records = await Promise.all(numbers.map((n) => fixture.create(n)));
      assertSame(new Set(records.map((record) => String(fixture.id(record)))).size, 6, 'different ids');
      const [read, updated, erased, ...rest] = records as [ContractRecord, ContractRecord, ContractRecord];
      const [again] = await Promise.all([
        fixture.Row.load(fixture.id(read)),
        updated.set(text, fixture.text(7)).save(),
        erased.erase(),
      ]);
      assertSame(again.get(text), fixture.text(1), 'the record that was read');
      const loaded = await Promise.all([updated, ...rest].map((record) => fixture.Row.load(fixture.id(record))));
      assertSame(
        loaded.map((record) => record.get(text)),
        [7, 4, 5, 6].map((n) => fixture.text(n)),
        'the texts after all of it',
      );
    },
  },
  {
    title: 'a store syncs new, edited and removed records',
    async run(fixture) {
      const { text } = fixture.options;
      const store = new Store<ContractRecord>({ model: fixture.Row });
      const [edited, removed] = [fixture.build(1), fixture.build(2)];
      store.add(edited, removed);
      assertSame(
        (await store.sync()).failures.map(({ error }) => error.message),
        [],
        'failures of the creates',
      );
      edited.set(text, fixture.text(4));
      store.remove(removed);
      const added = fixture.build(3);
      store.add(added);
      const batch = await store.sync();
      assertSame(
        batch.failures.map(({ error }) => error.message),
        [],
        'failures of the mixed changes',
      );
      assertSame(batch.outcomes.length, 3, 'outcomes');
      assertSame((await fixture.Row.load(fixture.id(edited))).get(text), fixture.text(4), 'the edited record');
      assertThat(await fixture.holds(added), 'the added record is in the list');
      assertThat(removed.erased, 'the removed record is erased');
    },
  },
];
