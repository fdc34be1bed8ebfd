import { Operation } from '../operation/operation.js';
import type { ResultSet } from '../operation/result-set.js';
import { isPlainObject } from '../util/values.js';
import type { ContractCase } from './proxy-contract.js';
import { assertSame, assertThat } from './refusal.js';

/** Contract tests about result sets: their contents, and that no objects are shared. */
export const resultCases: readonly ContractCase[] = [
  {
    title: 'a read resolves with a result set: its rows, their count, success',
    async run(fixture) {
      const record = await fixture.create(1);
      const list = await fixture.page(1, 20);
      checkResult(list, 'a list');
      assertThat(list.rows.length >= 1, 'a list has rows');
      assertSame(list.records, [], 'the records, which whoever asked fills in');
      const one = await fixture.read({ id: fixture.id(record) });
      checkResult(one, 'a single read');
      assertSame(one.rows.length, 1, 'rows of a single read');
      assertSame(String(fixture.model.rowId(one.rows[0])), String(fixture.id(record)), 'its id');
    },
  },
  {
    title: 'a write resolves with a result set',
    async run(fixture) {
      const record = fixture.build(1);
      const done = await fixture.proxy.create(new Operation({ action: 'create', records: [record] }));
      checkResult(done, 'a create');
      const id = fixture.model.rowId(done.rows[0]) ?? done.locationId;
      assertThat(id !== undefined, 'a create tells the id, in its row or as `locationId`');
      const saved = await fixture.Row.load(id as string);
      saved.set(fixture.options.text, fixture.text(2));
      checkResult(await fixture.proxy.update(new Operation({ action: 'update', records: [saved] })), 'an update');
      checkResult(await fixture.proxy.erase(new Operation({ action: 'destroy', records: [saved] })), 'an erase');
    },
  },
  {
    title: 'execute runs an operation by its action',
    async run(fixture) {
      const record = await fixture.create(1);
      const { rows } = await fixture.proxy.execute(
        new Operation({ action: 'read', model: fixture.model, id: fixture.id(record) }),
      );
      assertSame(String(fixture.model.rowId(rows[0])), String(fixture.id(record)), 'the id of what was read');
    },
  },
  {
    title: 'rows are nobody else’s: changing them changes nothing in the source',
    async run(fixture) {
      const record = await fixture.create(1);
      const list = await fixture.page(1, 20);
      for (const row of [await fixture.row(record), ...list.rows]) scribble(row as object);
      const loaded = await fixture.Row.load(fixture.id(record));
      assertSame(loaded.get(fixture.options.text), fixture.text(1), 'the text');
    },
  },
  {
    title: 'an edit is nobody else’s until it is saved',
    async run(fixture) {
      const record = await fixture.create(1);
      record.set(fixture.options.text, fixture.text(2));
      const loaded = await fixture.Row.load(fixture.id(record));
      assertSame(loaded.get(fixture.options.text), fixture.text(1), 'the text');
    },
  },
];

function checkResult(result: ResultSet, what: string): void {
  assertThat(Array.isArray(result.rows), `${what} has rows`);
  assertThat(result.rows.every(isPlainObject), `the rows of ${what} are plain objects`);
  assertSame(result.count, result.rows.length, `the count of ${what}`);
  assertSame(result.success, true, `the success of ${what}`);
  const { total, message } = result;
  assertThat(
    total === undefined || (Number.isSafeInteger(total) && total >= 0),
    `the total of ${what} is a count, or undefined`,
  );
  assertThat(message === undefined || typeof message === 'string', `the message of ${what} is a text, or undefined`);
}

/** Overwrites every member of a row unless it is frozen. */
function scribble(row: object): void {
  if (Object.isFrozen(row)) return;
  for (const name of Object.keys(row)) Reflect.set(row, name, 'scribbled');
}
