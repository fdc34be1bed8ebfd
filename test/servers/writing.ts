import { Store } from 'repose';
import { expect } from 'vitest';
import { type Contract, failureOf, pathsOf } from './contract.js';
import { type ContractStore, idOf, NEW, present } from './host.js';

const HTTP_404 = { code: 'http', status: 404 };

/** Checks of single writes, each with records of its own, and of `store.sync()`. */
export function writing(contract: Contract): void {
  const { host, profile, check, fact } = contract;
  const { facts, idProperty = 'id' } = profile;
  const { create = 201, update = 200, destroy = 204 } = profile.statuses ?? {};
  const put = { actionMethods: { update: 'PUT' } };
  const patch = { actionMethods: { update: 'PATCH' } };

  check('create', async () => {
    const values = profile.record(host.next());
    const record = new (host.model())(values, NEW);
    expect(record.phantom).toBe(true);
    await record.save();
    expect(record.phantom).toBe(false);
    expect(record.dirty).toBe(false);
    expect(await host.row(idOf(record))).toMatchObject(values);
    expect(host.writes.map(({ status }) => status)).toEqual([create]);
    // The client's own id is not sent.
    if (!(idProperty in values)) expect(host.sentFields(present(host.writes[0]))).not.toHaveProperty(idProperty);
  });

  check('location', async () => {
    const bodiless = (response: Response) => (response.ok ? new Response(null, response) : response);
    const values = profile.record(host.next());
    const record = new (host.model({}, {}, bodiless))(values, NEW);
    await record.save();
    expect(record.phantom).toBe(false);
    expect(await host.row(idOf(record))).toMatchObject(values);
  });

  check('invalidCreate', async () => {
    const { values, fields, error: expected = { code: 'validation' } } = fact('invalid');
    const valid = profile.record(host.next());
    const record = new (host.model())({ ...valid, ...values }, NEW);
    const error = await failureOf(record.save());
    expect(error).toMatchObject(expected);
    expect(pathsOf(error)).toEqual([...fields].sort());
    expect(record.phantom).toBe(true);
    expect(record.$.error).toBe(error);
    expect(Object.keys(record.$.errors).sort()).toEqual([...fields].sort());

    record.set(valid);
    await record.save();
    expect(record.phantom).toBe(false);
    expect(record.$.error).toBeUndefined();
    expect(record.$.errors).toEqual({});
  });

  check('put', async () => {
    const id = idOf(await host.saved());
    const before = present(await host.row(id));
    const edit = profile.edit(host.next());
    const record = await host.model(put).load(id);
    record.set(edit);
    expect(record.dirty).toBe(true);
    await record.save();
    expect(record.dirty).toBe(false);
    expect(host.writes).toMatchObject([{ method: 'PUT', status: update }]);
    expect(host.sentFields(present(host.writes[0]))).toEqual({ ...before, ...edit });
    expect(await host.row(id)).toEqual({ ...before, ...edit });
  });

  check('undeclared', async () => {
    const { field, declared } = fact('undeclared');
    const id = idOf(await host.saved());
    const before = present(await host.row(id));
    expect(before[field]).toBeDefined();
    const record = await host.slim(declared, put).load(id);
    record.set({ [declared]: profile.edit(host.next())[declared] });
    await record.save();
    const last = profile.edit(host.next())[declared];
    record.set({ [declared]: last }); // based on the row of the first response
    await record.save();
    expect(await host.row(id)).toEqual({ ...before, [declared]: last });
  });

  check('patch', async () => {
    const id = idOf(await host.saved());
    const before = present(await host.row(id));
    const edit = profile.edit(host.next());
    const record = await host.model(patch).load(id);
    record.set(edit);
    await record.save();
    expect(record.dirty).toBe(false);
    expect(host.writes).toMatchObject([{ method: 'PATCH', status: update }]);
    expect(host.sentFields(present(host.writes[0]))).toEqual(edit);
    expect(await host.row(id)).toEqual({ ...before, ...edit });
  });

  check('missingUpdate', async () => {
    const record = await host.saved();
    await host.access.remove(idOf(record));
    const edit = profile.edit(host.next());
    record.set(edit);
    const error = await failureOf(record.save());
    expect(error).toMatchObject(facts.missing?.update ?? HTTP_404);
    expect(record.$.modified).toEqual(edit);
    expect(record.dirty).toBe(true);
  });

  check('invalidUpdate', async () => {
    const { values, fields, error: expected = { code: 'validation' } } = fact('invalid');
    const record = await host.saved();
    const before = await host.row(idOf(record));
    record.set(values);
    const error = await failureOf(record.save());
    expect(error).toMatchObject(expected);
    expect(pathsOf(error)).toEqual([...fields].sort());
    expect(record.$.modified).toEqual(values);
    expect(await host.row(idOf(record))).toEqual(before);
  });

  check('stale', async () => {
    const { proxy, error: expected = { code: 'conflict' } } = fact('stale');
    const id = idOf(await host.saved());
    const record = await host.model(proxy).load(id);
    await host.access.change(id, profile.edit(host.next()));
    const theirs = await host.row(id);
    const edit = profile.edit(host.next());
    record.set(edit);
    const error = await failureOf(record.save());
    expect(error).toMatchObject(expected);
    expect(record.$.modified).toEqual(edit);
    expect(await host.row(id)).toEqual(theirs);
  });

  check('erase', async () => {
    const record = await host.saved();
    await record.erase();
    expect(record.erased).toBe(true);
    expect(host.writes.map(({ status }) => status)).toEqual([destroy]);
    expect(await host.row(idOf(record))).toBeUndefined();
  });

  check('missingErase', async () => {
    const record = await host.saved();
    await host.access.remove(idOf(record));
    const error = await failureOf(record.erase());
    expect(error).toMatchObject(facts.missing?.destroy ?? HTTP_404);
    expect(record.erased).toBe(false);
  });

  check('noContent', async () => {
    const record = new (host.model())(profile.record(host.next()), NEW);
    await record.save();
    record.set(profile.edit(host.next()));
    await record.save();
    expect(record.dirty).toBe(false);
    await record.erase();
    expect(record.erased).toBe(true);
    expect(host.writes.filter(({ answer }) => answer === '').length).toBeGreaterThan(0);
  });

  check('sync', async () => {
    const model = host.model();
    const store = new Store({
      model: model as never,
      pageSize: facts.pageSize === 0 ? 0 : 4,
    } as never) as never as ContractStore;
    await store.load();
    const total = store.total;
    const [first, second, third, fourth] = store.getRange().map((record) => record);
    const edits = [profile.edit(host.next()), profile.edit(host.next())];
    present(first).set(present(edits[0]));
    present(second).set(present(edits[1]));
    store.remove(present(third), present(fourth));
    const values = [profile.record(host.next()), profile.record(host.next())];
    const added = values.map((row) => new model(row, NEW));
    store.add(...added);

    const batch = await store.sync();
    expect(batch.failures).toEqual([]);
    expect(batch.outcomes.map((outcome) => outcome.action).toSorted()).toEqual([
      'create',
      'create',
      'destroy',
      'destroy',
      'update',
      'update',
    ]);
    expect(added.map((record) => record.phantom)).toEqual([false, false]);
    expect(store.getRange().filter((record) => record.dirty || record.phantom)).toEqual([]);
    expect(await Promise.all(added.map((record) => host.row(idOf(record))))).toMatchObject(values);
    expect(await host.row(idOf(present(first)))).toMatchObject(present(edits[0]));
    expect(await host.row(idOf(present(second)))).toMatchObject(present(edits[1]));
    expect(await host.row(idOf(present(third)))).toBeUndefined();
    expect(await host.row(idOf(present(fourth)))).toBeUndefined();

    await store.sync(); // nothing left to write
    expect(host.writes).toHaveLength(6);
    await store.load();
    expect(store.total).toBe(total); // two more, two fewer
  });

  check('syncFailure', async () => {
    const model = host.model();
    const [gone, kept] = [await host.saved(model), await host.saved(model)];
    const store = new Store({ model: model as never } as never) as never as ContractStore;
    store.setRecords([gone, kept]);
    await host.access.remove(idOf(gone));
    const edit = profile.edit(host.next());
    gone.set(profile.edit(host.next()));
    kept.set(edit);

    const batch = await store.sync();
    expect(batch.outcomes).toHaveLength(2);
    expect(batch.failures).toHaveLength(1);
    expect(batch.failures[0]).toMatchObject({ action: 'update', error: facts.missing?.update ?? HTTP_404 });
    expect(batch.failures[0]?.record).toBe(gone);
    expect(gone.dirty).toBe(true);
    expect(kept.dirty).toBe(false);
    expect(await host.row(idOf(kept))).toMatchObject(edit);
  });
}
