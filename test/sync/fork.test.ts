import {
  bigint,
  changesOf,
  childrenOf,
  decimal,
  embed,
  type Fork,
  fork,
  MergeError,
  Model,
  Session,
  StateError,
  Store,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { accepting, Line, Order, sentLines, server } from '../children/support.js';

class Address extends Model.define({ fields: { street: 'string', city: 'string' } }) {}
class Detail extends Model.define({ fields: { id: 'int', sku: 'string', qty: 'int' } }) {}
class Person extends Model.define({
  name: 'person',
  fields: {
    id: 'int',
    name: 'string',
    born: 'date',
    balance: decimal(),
    votes: bigint(),
    tags: 'json',
    address: embed(Address),
    details: embed([Detail]),
    note: { type: 'string', persist: false },
  },
  proxy: server.proxy('/people'),
}) {}

const ADA = {
  id: 1,
  name: 'Ada',
  born: '1815-12-10T00:00:00.000Z',
  balance: '10.50',
  votes: '9007199254740993',
  tags: ['a'],
  address: { street: 'Main St 1', city: 'London' },
  details: [{ sku: 'A-1', qty: 2 }],
};

/** A session with some people, a store that shows them, and a fork. */
function open(...rows: object[]): { session: Session; people: Store<Person>; dialog: Fork } {
  const session = new Session();
  const people = new Store({ model: Person, session, pageSize: 0 });
  people.setRecords(rows.length > 0 ? rows : [ADA]);
  return { session, people, dialog: fork(session) };
}

function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('a copy', () => {
  test('shows what its record shows, edits included, and is not dirty', () => {
    const { people, dialog } = open();
    const ada = people.getAt(0) as Person;
    ada.name = 'Ada L.';
    ada.address.city = 'Bath';
    const copy = dialog.copyOf(ada);
    expect(copy).not.toBe(ada);
    expect(copy).toMatchObject({ name: 'Ada L.', votes: 9007199254740993n, dirty: false, phantom: false });
    expect(copy.address).toMatchObject({ street: 'Main St 1', city: 'Bath' });
    expect(JSON.stringify(copy)).toBe(JSON.stringify(ada));
    expect(dialog.copyOf(ada)).toBe(copy);
    expect(dialog.getById(Person, 1)).toBe(copy);
    expect(dialog.copyOf(copy)).toBe(copy);
  });

  test('is edited without a trace in the parent, until it is merged', () => {
    const { session, people, dialog } = open();
    const ada = people.getAt(0) as Person;
    const before = JSON.stringify(ada);
    const copy = dialog.copyOf(ada);
    copy.set({ name: 'Grace', note: 'local', born: new Date('1906-12-09') });
    copy.address.city = 'New York';
    copy.details = [...copy.details, new Detail({ id: 2, sku: 'B-2', qty: 1 })];
    expect([JSON.stringify(ada), ada.dirty, [...session.pending.created, ...session.pending.edited]]).toEqual([
      before,
      false,
      [],
    ]);

    const { address } = ada;
    expect(dialog.merge()).toEqual([ada]);
    expect(JSON.stringify(ada)).toBe(JSON.stringify(copy));
    expect(ada).toMatchObject({ name: 'Grace', note: 'local', dirty: true });
    expect(ada.details.map(({ sku, qty }) => [sku, qty])).toEqual([
      ['A-1', 2],
      ['B-2', 1],
    ]);
    // The embedded record of the parent stays the same object, so that what is bound to it goes on.
    expect(ada.address).toBe(address);
    expect(ada.$.modified).not.toHaveProperty('balance');
    expect([copy.dirty, dialog.merge()]).toEqual([false, []]);
  });

  test('of a record that is new or was created keeps its place', async () => {
    const { session, dialog } = open();
    const draft = session.create(Person, { name: 'new' });
    const copy = dialog.copyOf(draft);
    expect(copy).toMatchObject({ phantom: true, name: 'new' });
    expect(copy.getId()).toBe(draft.getId());
    copy.name = 'edited';
    expect(dialog.merge()).toEqual([draft]);
    expect([draft.name, draft.phantom, session.pending.created]).toEqual(['edited', true, [draft]]);

    copy.name = 'edited again';
    server.reply({ status: 201, json: { id: 9, name: 'edited' } });
    await draft.save();
    dialog.merge();
    expect([draft.getId(), draft.name, draft.dirty]).toEqual([9, 'edited again', true]);
  });

  test('of a record that was created meanwhile has its id, as have its children, and what is below it stays', async () => {
    server.always(accepting());
    const session = new Session();
    const dialog = fork(session);
    const copy = dialog.create(Order, { name: 'new' });
    const [order] = dialog.merge();
    await session.sync();
    childrenOf(copy, Line).add({ sku: 'A-1' });
    dialog.merge();
    expect([copy.phantom, copy.id]).toEqual([false, 101]);
    await session.sync();
    copy.name = 'again';
    expect(dialog.merge()).toEqual([order]);
    await session.sync();
    expect([...childrenOf(copy, Line)].map((line) => [line.id, line.phantom])).toEqual([[102, false]]);
    expect(sentLines()).toEqual([
      'POST /orders {"name":"new"}',
      'POST /orders/101/lines {"sku":"A-1","orderId":101}',
      'PATCH /orders/101 {"name":"again"}',
    ]);
  });

  test('of a record that was created meanwhile is found by its id, and is not there twice after a load', async () => {
    server.always((request) =>
      request.method === 'GET' ? { json: [{ id: 101, orderId: 7, sku: 'A-1' }] } : accepting()(request),
    );
    const session = new Session();
    const [order] = session.add(Order.fromRow({ id: 7, name: 'seven', lines: [] })) as [Order];
    const [line] = childrenOf(order, Line).add({ sku: 'A-1' }) as [Line];
    const dialog = fork(session);
    const lines = childrenOf(dialog.copyOf(order), Line);
    const copy = lines.getAt(0);
    await session.sync();
    expect([line.id, copy?.phantom]).toEqual([101, true]);
    await lines.load();
    expect([[...lines], copy?.id, copy?.phantom, dialog.getById(Line, 101)]).toEqual([[copy], 101, false, copy]);
  });

  test('of a record outside of the parent, or of an erased one, is refused', async () => {
    const { people, dialog } = open();
    const stranger = Person.fromRow({ id: 5 });
    expect(thrown(() => dialog.copyOf(stranger))).toMatchObject({ code: 'foreign', reason: 'fork-foreign' });
    server.reply({ status: 204 });
    const ada = people.getAt(0) as Person;
    await ada.erase();
    expect(thrown(() => dialog.copyOf(ada))).toMatchObject({ code: 'erased' });
  });

  test('keeps the edits of the parent in view when it is read again', async () => {
    const { people, dialog } = open();
    const ada = people.getAt(0) as Person;
    ada.name = 'mine';
    const copy = dialog.copyOf(ada);
    server.reply({ status: 200, json: { ...ADA, name: 'theirs', balance: '20.00' } });
    await copy.load();
    expect(copy).toMatchObject({ name: 'mine', balance: '20.00', dirty: false });
    copy.balance = '30.00';
    dialog.merge();
    expect(ada).toMatchObject({ name: 'mine', balance: '30.00' });
  });
});

describe('new and removed records', () => {
  test('are merged with what refers to them', () => {
    const session = new Session();
    const dialog = fork(session);
    const order = dialog.create(Order, { name: 'draft' });
    childrenOf(order, Line).add({ sku: 'A-1' }, { sku: 'B-2' });
    expect(session.pending.created).toEqual([]);

    const merged = dialog.merge();
    const made = merged.find((each) => each instanceof Order) as Order;
    expect(made).not.toBe(order);
    expect([made.name, made.phantom]).toEqual(['draft', true]);
    const lines = childrenOf(made, Line);
    expect([...lines].map(({ sku, orderId }) => [sku, orderId])).toEqual([
      ['A-1', made.getId()],
      ['B-2', made.getId()],
    ]);
    expect(session.pending.created).toHaveLength(3);

    // The fork goes on with the same records.
    order.name = 'named';
    childrenOf(order, Line).add({ sku: 'C-3' });
    dialog.merge();
    expect([made.name, [...lines].map(({ sku }) => sku)]).toEqual(['named', ['A-1', 'B-2', 'C-3']]);
  });

  test('of the children of a copy become those of its original', () => {
    const session = new Session();
    const orders = new Store({ model: Order, session, pageSize: 0 });
    orders.setRecords([
      {
        id: 7,
        name: 'seven',
        lines: [
          { id: 1, sku: 'A-1' },
          { id: 2, sku: 'B-2' },
        ],
      },
    ]);
    const order = orders.getAt(0) as Order;
    const lines = childrenOf(order, Line);
    const dialog = fork(session);
    const copies = childrenOf(dialog.copyOf(order), Line);
    expect([...copies].map(({ sku }) => sku)).toEqual(['A-1', 'B-2']);
    expect(copies.getAt(0)).not.toBe(lines.getAt(0));

    copies.remove(copies.getAt(0) as Line);
    (copies.getAt(0) as Line).sku = 'B-3';
    copies.add({ sku: 'C-4' });
    expect([...lines].map(({ sku }) => sku)).toEqual(['A-1', 'B-2']);
    dialog.merge();
    expect([...lines].map(({ sku, orderId }) => [sku, orderId])).toEqual([
      ['B-3', 7],
      ['C-4', 7],
    ]);
    expect(lines.pending.removed).toHaveLength(1);
    expect(order.$.children.dirty).toBe(true);
    expect([[...copies].map(({ sku }) => sku), copies.pending.removed, dialog.merge()]).toEqual([
      ['B-3', 'C-4'],
      [],
      [],
    ]);
  });

  test('show what the parent has added and removed since, after a merge', () => {
    const session = new Session();
    const rows = [
      { id: 1, sku: 'A-1' },
      { id: 2, sku: 'B-2' },
    ];
    const [order] = session.add(Order.fromRow({ id: 7, name: 'seven', lines: rows })) as [Order];
    const lines = childrenOf(order, Line);
    const dialog = fork(session);
    const copies = childrenOf(dialog.copyOf(order), Line);
    const gone = lines.getAt(0) as Line;
    lines.remove(gone);
    lines.add({ sku: 'C-3' });
    expect([...copies].map(({ sku }) => sku)).toEqual(['A-1', 'B-2']);
    dialog.merge();
    expect([...copies].map(({ sku }) => sku)).toEqual(['B-2', 'C-3']);
    expect([changesOf(dialog), dialog.getById(Line, 1)]).toEqual([[], undefined]);

    lines.reject();
    expect(dialog.getById(Line, 1)?.sku).toBe('A-1');
    dialog.merge();
    expect([...copies].map(({ sku }) => sku).sort()).toEqual(['A-1', 'B-2']);
  });

  test('of a record that the parent has erased are erased, and get no children any more', async () => {
    server.always(accepting());
    const session = new Session();
    const [order] = session.add(Order.fromRow({ id: 7, name: 'seven', lines: [] })) as [Order];
    const dialog = fork(session);
    const copy = dialog.copyOf(order);
    const copies = childrenOf(copy, Line);
    await order.erase();
    dialog.merge();
    expect([copy.erased, dialog.getById(Order, 7)]).toEqual([true, undefined]);
    expect(thrown(() => copies.add({ sku: 'A-1' }))).toMatchObject({ reason: 'children-erased' });
    expect([changesOf(dialog), changesOf(session)]).toEqual([[], []]);
  });

  test('of a new parent record are removed there, too', () => {
    const { session, dialog } = open();
    const draft = session.create(Person, { name: 'new' });
    dialog.remove(dialog.copyOf(draft));
    expect(dialog.getById(Person, draft.getId() as number)).toBeUndefined();
    expect(session.pending.created).toEqual([draft]);
    dialog.merge();
    expect(session.pending.created).toEqual([]);
  });

  test('that were read only in the fork are given to the parent with their row', async () => {
    const { session, dialog } = open();
    server.reply({ status: 200, json: { id: 3, name: 'Alan', extra: true } });
    const alan = await dialog.load(Person, 3);
    alan.name = 'Alan T.';
    const [merged] = dialog.merge() as [Person];
    expect(merged).not.toBe(alan);
    expect([session.getById(Person, 3), merged.name, merged.$.previousValues]).toEqual([
      merged,
      'Alan T.',
      { name: 'Alan' },
    ]);
    server.reply({ status: 200, json: { id: 3, name: 'Alan T.', extra: true } });
    await merged.save();
    expect(server.requests.at(-1)?.text).toBe('{"id":3,"name":"Alan T.","extra":true}');
  });
});

describe('a conflict', () => {
  describe('with a list of embedded records that both sides changed', () => {
    const rows = [1, 2, 3].map((id) => ({ id, sku: `A-${id}`, qty: id }));
    const told = ({ details }: Person) => details?.map(({ id, sku, qty }) => `${id ?? 'new'} ${sku} ${qty}`);
    function inBoth(mine: (copy: Person) => void, theirs: (person: Person) => void) {
      const { people, dialog } = open({ ...ADA, details: rows });
      const person = people.getAt(0) as Person;
      mine(dialog.copyOf(person));
      theirs(person);
      return { person, dialog };
    }

    test('takes the lines that one of them has edited, added or removed', () => {
      const { person, dialog } = inBoth(
        (copy) => {
          copy.details![0]!.qty = 10;
          copy.details = copy.details!.filter(({ id }) => id !== 3);
        },
        (parent) => {
          parent.details![1]!.qty = 20;
          parent.details = [...parent.details!, new Detail({ sku: 'B', qty: 4 })];
        },
      );
      dialog.merge();
      expect(told(person)).toEqual(['1 A-1 10', '2 A-2 20', 'new B 4']);
    });

    test('takes another order for no conflict', () => {
      const { person, dialog } = inBoth(
        (copy) => void (copy.details![0]!.qty = 10),
        (parent) => void (parent.details = [...parent.details!].reverse()),
      );
      dialog.merge();
      expect(told(person)).toEqual(['3 A-3 3', '2 A-2 2', '1 A-1 10']);
    });

    test('keeps equal lines of both', () => {
      const add = (each: Person) => void (each.details = [...each.details!, new Detail({ sku: 'B', qty: 4 })]);
      const { person, dialog } = inBoth(add, (parent) => {
        add(parent);
        parent.details![0]!.qty = 10;
      });
      dialog.merge();
      expect(told(person)).toEqual(['1 A-1 10', '2 A-2 2', '3 A-3 3', 'new B 4', 'new B 4']);
    });

    test.each([
      ['edited in one field', (each: Person) => void (each.details![0]!.qty = 20)],
      ['edited and removed', (each: Person) => void (each.details = each.details!.slice(1))],
    ])('asks about a line that is %s', (_, theirs) => {
      const { person, dialog } = inBoth((copy) => void (copy.details![0]!.qty = 10), theirs);
      expect(thrown(() => dialog.merge())).toMatchObject({ conflicts: [{ record: person, field: 'details' }] });
      dialog.merge(({ mine }) => mine);
      expect(told(person)).toEqual(['1 A-1 10', '2 A-2 2', '3 A-3 3']);
    });
  });

  test('names the fields that both sides changed, and changes nothing until it is decided', () => {
    const { people, dialog } = open(ADA, { id: 2, name: 'Alan' });
    const [ada, alan] = [people.getAt(0), people.getAt(1)] as [Person, Person];
    const copy = dialog.copyOf(ada);
    dialog.copyOf(alan).name = 'Alan T.';
    copy.set({ name: 'mine', balance: '1.00' });
    copy.address.city = 'mine';
    copy.address.street = 'mine';
    ada.name = 'theirs';
    ada.address.city = 'theirs';

    const error = thrown(() => dialog.merge()) as MergeError;
    expect(error).toBeInstanceOf(MergeError);
    expect(error.conflicts).toEqual([
      { record: ada, field: 'name', base: 'Ada', mine: 'mine', theirs: 'theirs' },
      { record: ada, field: 'address.city', base: 'London', mine: 'mine', theirs: 'theirs' },
    ]);
    expect(error.message).toContain('person 1, name; person 1, address.city');
    expect(JSON.stringify(error)).not.toContain('London');
    expect([alan.name, ada.name, ada.balance, ada.address.street]).toEqual(['Alan', 'theirs', '10.50', 'Main St 1']);
    // A decision about one of them leaves the other one open.
    const open1 = thrown(() => dialog.merge(({ field, mine }) => (field === 'name' ? mine : undefined))) as MergeError;
    expect(open1.conflicts.map(({ field }) => field)).toEqual(['address.city']);

    dialog.merge(({ field, mine, theirs }) => (field === 'name' ? `${mine} and ${theirs}` : theirs));
    expect([ada.name, ada.address.city, ada.address.street]).toEqual(['mine and theirs', 'theirs', 'mine']);
    expect([ada.balance, alan.name, copy.name, copy.dirty]).toEqual(['1.00', 'Alan T.', 'mine and theirs', false]);
  });

  test('is none if both sides set the same value, or changed different fields', () => {
    const { people, dialog } = open();
    const ada = people.getAt(0) as Person;
    const copy = dialog.copyOf(ada);
    copy.set({ name: 'same', born: new Date('2000-01-01') });
    ada.set({ name: 'same', balance: '7.00' });
    dialog.merge();
    expect(ada).toMatchObject({ name: 'same', balance: '7.00', born: new Date('2000-01-01') });
  });

  test.each([
    ['a save of the parent', 'saved'],
    ['an edit', 'edited'],
  ])('is told after %s of the same field', async (_, how) => {
    const { people, dialog } = open();
    const ada = people.getAt(0) as Person;
    dialog.copyOf(ada).name = 'mine';
    ada.name = 'theirs';
    server.reply({ status: 200, json: { ...ADA, name: 'theirs' } });
    if (how === 'saved') await ada.save();
    expect(thrown(() => dialog.merge())).toMatchObject({
      conflicts: [{ field: 'name', mine: 'mine', theirs: 'theirs' }],
    });
  });

  test('is told if one side has removed what the other one has changed', () => {
    const { session, people, dialog } = open(ADA, { id: 2, name: 'Alan' });
    const [ada, alan] = [people.getAt(0), people.getAt(1)] as [Person, Person];
    const [adaCopy, alanCopy] = [dialog.copyOf(ada), dialog.copyOf(alan)];
    adaCopy.name = 'mine';
    people.remove(ada);
    dialog.remove(alanCopy);
    alan.name = 'theirs';
    expect(thrown(() => dialog.merge(({ mine }) => mine ?? 'decided'))).toMatchObject({
      conflicts: [
        { record: ada, field: 'name', mine: 'mine', theirs: undefined, removedBy: 'theirs' },
        { record: alan, field: 'name', mine: undefined, theirs: 'theirs', removedBy: 'mine' },
      ],
    });
    adaCopy.reject();
    alan.reject();
    dialog.merge();
    expect(session.pending.removed).toEqual([ada, alan]);
  });

  test('is told for a record that was erased meanwhile', async () => {
    const { people, dialog } = open();
    const ada = people.getAt(0) as Person;
    dialog.copyOf(ada).name = 'mine';
    server.reply({ status: 204 });
    await ada.erase();
    expect(thrown(() => dialog.merge())).toMatchObject({ conflicts: [{ record: ada, removedBy: 'theirs' }] });
  });
});

describe('a fork', () => {
  test('sends nothing, and names `merge()`', async () => {
    const { people, dialog } = open();
    const copy = dialog.copyOf(people.getAt(0) as Person);
    const copies = new Store({ model: Person, session: dialog, pageSize: 0 });
    const [added] = copies.add({ name: 'new' }) as [Person];
    copy.name = 'edited';
    const before = server.requests.length;
    for (const call of [copy.save(), added.save(), copy.erase(), dialog.sync(), copies.sync()]) {
      const error = await call.then(
        () => undefined,
        (reason) => reason,
      );
      expect(error).toBeInstanceOf(StateError);
      expect(error).toMatchObject({ code: 'restricted', reason: 'fork-write' });
      expect(error.message).toContain('`merge()`');
    }
    const order = dialog.create(Order, { name: 'a' });
    childrenOf(order, Line).add({ sku: 'A-1' });
    await expect(order.save({ children: true })).rejects.toMatchObject({ reason: 'fork-write' });
    expect(server.requests).toHaveLength(before);
  });

  test('that is dropped leaves no trace', () => {
    const { session, people, dialog } = open();
    const ada = people.getAt(0) as Person;
    const before = JSON.stringify([changesOf(session), session.status.get(), ada]);
    const copies = new Store({ model: Person, session: dialog, pageSize: 0 });
    copies.add({ name: 'new' });
    dialog.copyOf(ada).name = 'edited';
    dialog.drop();
    expect(JSON.stringify([changesOf(session), session.status.get(), ada])).toBe(before);
    expect(copies.disposed).toBe(true);
    for (const call of [() => dialog.merge(), () => dialog.copyOf(ada)])
      expect(thrown(call)).toMatchObject({ code: 'disposed', reason: 'fork-dropped' });
  });

  test('of a fork merges into the fork', () => {
    const { people, dialog } = open();
    const ada = people.getAt(0) as Person;
    const inside = fork(dialog);
    const copy = inside.copyOf(dialog.copyOf(ada));
    copy.name = 'deep';
    inside.merge();
    expect([dialog.copyOf(ada).name, ada.name]).toEqual(['deep', 'Ada']);
    dialog.merge();
    expect(ada.name).toBe('deep');
  });

  test('shows the records of the parent again after its changes are rejected', () => {
    const { session, people, dialog } = open();
    const draft = session.create(Person, { name: 'new' });
    const copy = dialog.copyOf(people.getAt(0) as Person);
    copy.name = 'edited';
    dialog.remove(dialog.copyOf(draft));
    dialog.reject();
    expect([copy.name, dialog.copyOf(draft).name, dialog.merge()]).toEqual(['Ada', 'new', []]);
    expect(session.pending.created).toEqual([draft]);
  });

  test('copies the records of rows that its stores load', async () => {
    const { people, dialog } = open();
    const ada = people.getAt(0) as Person;
    ada.name = 'mine';
    const copies = new Store({ model: Person, session: dialog, pageSize: 0 });
    server.reply({ status: 200, json: [{ ...ADA, name: 'server' }] });
    await copies.load();
    expect(copies.getAt(0)).toBe(dialog.copyOf(ada));
    expect([copies.getAt(0)?.name, ada.name]).toEqual(['mine', 'mine']);
  });
});
