import { type RestProxyConfig, Store } from 'repose';
import { expect } from 'vitest';
import type { Contract } from './contract.js';
import { type ContractModel, type ContractStore, idOf, NEW, present } from './host.js';
import type { Id } from './profile.js';

/** Checks of ids, numbers, files and bodies that not every server can take. */
export function special(contract: Contract): void {
  const { host, profile, check, fact, has } = contract;
  const { idProperty = 'id' } = profile;

  check('oddIds', async () => {
    const { ids, proxy, model = { identifier: 'natural' }, record: recordOf, access } = fact('oddIds');
    const rowOf = (id: Id) => (access ? access(host.url).read(id) : host.row(id));
    expect(ids.length).toBeGreaterThan(0);
    const given = profile.fields[idProperty];
    const idField = typeof given === 'object' ? { ...given, type: 'string' } : 'string';
    const fields = { ...profile.fields, [idProperty]: idField };
    const Type = host.model(at(proxy), { fields, ...model });
    for (const id of ids) {
      const values = recordOf?.(id) ?? profile.record(host.next());
      const record = new Type({ ...values, [idProperty]: id }, NEW);
      await record.save();
      expect(await rowOf(id), `row ${id} after its create`).toMatchObject(values);
      const read = await Type.load(id);
      expect(read.getId()).toBe(id);
      const edit = profile.edit(host.next());
      read.set(edit);
      await read.save();
      expect(await rowOf(id), `row ${id} after its update`).toMatchObject(edit);
      await read.erase();
      expect(await rowOf(id), `row ${id} after its erase`).toBeUndefined();
    }
  });

  check('longNumber', async () => {
    const { digits, body } = fact('longNumber');
    const { create, text } = host.access;
    const id = await present(create, '`access.create`')(body(host.next()));
    const textOf = present(text, '`access.text`');
    expect(Number(digits).toString()).not.toBe(digits);
    expect(await textOf(id)).toContain(digits);
    const verbs = (['put', 'patch'] as const).filter((verb) => has(verb));
    for (const verb of verbs.length > 0 ? verbs : [undefined]) {
      const update = verb && { actionMethods: { update: verb.toUpperCase() } };
      const record = await host.model(update).load(id);
      record.set(profile.edit(host.next()));
      await record.save();
      expect(await textOf(id), `after ${verb ?? 'the update'}`).toContain(digits);
    }
  });

  check('file', async () => {
    const { field, proxy, model, record: valuesOf, check: verify } = fact('file');
    const content = 'Größe: 7 ☃';
    const file = new File([content], 'note.txt', { type: 'text/plain' });
    const Type = host.model(at(proxy), model);
    const values = valuesOf?.() ?? profile.record(host.next());
    const record = new Type({ ...values, [field]: file }, NEW);
    await record.save();
    expect(record.phantom).toBe(false);
    const read = await Type.load(idOf(record));
    await verify(read.get(field), content);
  });

  check('bulk', async () => {
    const { proxy, actions } = fact('bulk');
    const model = host.model({ ...proxy, batchActions: Object.fromEntries(actions.map((action) => [action, true])) });
    const store = new Store({ model: model as never } as never) as never as ContractStore;
    const records = await prepare(model, store);
    await store.sync();
    const created = host.writes.length;
    if (actions.includes('create')) expect(created).toBe(1);
    expect(records.map((record) => record.phantom)).toEqual([false, false, false]);
    if (actions.includes('update')) {
      host.exchanges.length = 0;
      const edits = records.map((record) => {
        const edit = profile.edit(host.next());
        record.set(edit);
        return edit;
      });
      await store.sync();
      expect(host.writes).toHaveLength(1);
      expect(await Promise.all(records.map((record) => host.row(idOf(record))))).toMatchObject(edits);
    }
    if (actions.includes('destroy')) {
      host.exchanges.length = 0;
      store.remove(...records);
      await store.sync();
      expect(host.writes).toHaveLength(1);
      expect(await Promise.all(records.map((record) => host.row(idOf(record))))).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
  });

  /** Options of a proxy whose `url`, if there is one, begins with the origin of the server. */
  function at(proxy: RestProxyConfig = {}): RestProxyConfig {
    return { ...proxy, ...(proxy.url !== undefined && { url: host.url + proxy.url }) };
  }

  async function prepare(model: ContractModel, store: ContractStore) {
    const records = [1, 2, 3].map(() => new model(profile.record(host.next()), NEW));
    store.add(...records);
    return records;
  }
}
