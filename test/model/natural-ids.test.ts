import { idempotency, Model, presence, reference, Store, sync, ValidationError } from 'repose';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';

const server = useRestServer();

const person = {
  name: 'person',
  idProperty: 'email',
  fields: { email: 'string', name: 'string', note: { type: 'string', allowNull: true } },
} as const;

class Person extends Model.define({ ...person, identifier: 'natural', proxy: server.proxy('/people') }) {}

const ADA = { email: 'ada@example.org', name: 'Ada' };

describe("identifier: 'natural'", () => {
  test('sends the id that the application gave in the create (H14)', async () => {
    const store = new Store({ model: Person });
    const [ada] = store.add(ADA) as [Person];
    expect([ada.phantom, ada.getId()]).toEqual([true, ADA.email]);
    server.reply({ status: 201, json: { ...ADA, note: 'added there' } });
    (await store.sync()).orThrow();
    expect(server.last).toMatchObject({ method: 'POST', url: '/people', body: ADA });
    expect([ada.phantom, ada.email, ada.note]).toEqual([false, ADA.email, 'added there']);
  });

  test('sends an id that was set later, and uses it in later addresses', async () => {
    const ada = new Person({ name: 'Ada' });
    ada.email = ADA.email;
    server.reply({ status: 204 });
    await ada.save();
    expect(server.last.body).toEqual(ADA);
    ada.name = 'Ada Lovelace';
    // The response of the create was empty, so the row is read before a PUT sends it whole.
    server.reply({ json: ADA }, { status: 204 });
    await ada.save();
    const address = '/people/ada%40example.org';
    expect(server.lines).toEqual(['POST /people', `GET ${address}`, `PUT ${address}`]);
  });

  test('keeps the id that was sent, whatever the `Location` header', async () => {
    const ada = new Person(ADA, { phantom: true });
    server.reply({ status: 201, headers: { Location: '/people/55' } });
    await ada.save();
    expect([ada.phantom, ada.getId(), ada.email]).toEqual([false, ADA.email, ADA.email]);
  });

  test.each([undefined, null, ''])('refuses a new record whose id is %o, without a request', async (email) => {
    const nobody = new Person({ email: email as never, name: 'Nobody' });
    const error = await nobody.save().catch((each) => each);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.issues).toMatchObject([{ path: ['email'], code: 'required' }]);
    expect([server.requests.length, nobody.$.isValid(), nobody.phantom]).toEqual([0, false, true]);
    expect(nobody.$.errors.email?.length).toBe(1);
  });

  test('reports a missing id once if the field has a validator as well', () => {
    const fields = { code: { type: 'string', validators: [presence({ message: 'give a code' })] } } as const;
    class Country extends Model.define({ idProperty: 'code', identifier: 'natural', fields }) {}
    expect(new Country().$.validate().map(({ message }) => message)).toEqual(['give a code']);
  });

  test('gives a new record no temporary id: its field is empty until it is set', () => {
    const store = new Store({ model: Person });
    const [first, second] = store.add({ name: 'a' }, { name: 'b' }) as [Person, Person];
    expect([first.email, first.getId(), store.count]).toEqual([undefined, undefined, 2]);
    second.email = 'b@example.org';
    expect([store.getById('b@example.org'), store.getById('a@example.org')]).toEqual([second, undefined]);
    store.remove(first);
    expect(store.count).toBe(1);
  });

  test('sends the ids in a bulk create, and matches each response by its id', async () => {
    const proxy = { batchActions: true };
    const store = new Store({ model: Person, proxy });
    const [ada, bob] = store.add(ADA, { email: 'bob@example.org', name: 'Bob' }) as [Person, Person];
    server.reply({
      status: 200,
      json: [
        { email: 'bob@example.org', name: 'Bob', note: 'b' },
        { ...ADA, note: 'a' },
      ],
    });
    (await store.sync()).orThrow();
    expect(server.last.body).toEqual([ADA, { email: 'bob@example.org', name: 'Bob' }]);
    expect([ada.note, bob.note, ada.phantom]).toEqual(['a', 'b', false]);
  });

  test('creates a parent before the records that refer to it by its id', async () => {
    class Team extends Model.define({
      name: 'team',
      idProperty: 'code',
      identifier: 'natural',
      fields: { code: 'string' },
      proxy: server.proxy('/teams'),
    }) {}
    class Task extends Model.define({
      fields: { id: 'int', team: reference('string') },
      proxy: server.proxy('/tasks'),
    }) {
      static override references() {
        return { team: Team };
      }
    }
    const [tasks, teams] = [new Store({ model: Task }), new Store({ model: Team })];
    tasks.add({ team: 'core' });
    teams.add({ code: 'core' });
    server.always(({ body }) => ({ status: 201, json: { id: 1, ...body } }));
    (await sync([tasks, teams])).orThrow();
    expect(server.lines).toEqual(['POST /teams', 'POST /tasks']);
    expect(server.last.body).toEqual({ team: 'core' });
  });

  test('keeps the id in an outbox until the create is sent after a restart', async () => {
    const storage = memoryStorage();
    const start = async () => {
      const Keyed = Person.with({ proxy: { use: [idempotency()] } });
      const outbox = await openOutbox({ scope: 'user-7', storage, models: [Keyed] });
      return { outbox, Queued: Keyed.with({ proxy: { use: [outbox] } }) };
    };
    const first = await start();
    server.reply({ drop: true });
    await new first.Queued(ADA, { phantom: true }).save().catch(() => undefined);
    await first.outbox.close();
    const second = await start();
    server.reply({ status: 201, headers: { Location: '/people/55' } });
    const store = new Store({ model: second.Queued });
    await second.outbox.send();
    expect(server.last).toMatchObject({ method: 'POST', url: '/people', body: ADA });
    expect([server.requests.length, second.outbox.entries, store.getById('55')]).toEqual([2, [], undefined]);
    await second.outbox.close();
  });

  test('can be set by `with`', async () => {
    class Plain extends Model.define({ ...person, proxy: server.proxy('/people') }) {}
    const Natural = Plain.with({ identifier: 'natural' });
    server.always(() => ({ status: 201, json: ADA }));
    await new Natural(ADA, { phantom: true }).save();
    expect(server.last.body).toEqual(ADA);
    await new Plain(ADA, { phantom: true }).save();
    expect(server.last.body).toEqual({ name: 'Ada' });
  });
});

describe("without `identifier: 'natural'`", () => {
  class Plain extends Model.define({ ...person, proxy: server.proxy('/people') }) {}
  const refusal = { status: 422, json: { errors: { email: ['is required'] } } };

  test('the error of a server that misses the id suggests it', async () => {
    server.reply(refusal);
    const ada = new Plain(ADA, { phantom: true });
    const error = await ada.save().catch((each) => each);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message).toContain("email is required. A new person does not send its id 'email'");
    expect(error.message).toContain("`identifier: 'natural'`");
    expect(error.issues).toMatchObject([{ path: ['email'], message: 'is required' }]);
  });

  test('an error about another field, about an update, or with the id sent does not suggest it', async () => {
    server.reply({ status: 422, json: { errors: { name: ['is too short'] } } }, refusal, refusal, refusal);
    const Sent = Plain.with({ proxy: { writer: { writeRecordId: true } } });
    for (const record of [
      new Plain(ADA, { phantom: true }),
      Plain.fromRow(ADA),
      new Sent(ADA, { phantom: true }),
      new Person(ADA, { phantom: true }),
    ]) {
      const error = await record.save().catch((each) => each);
      expect(error).toBeInstanceOf(ValidationError);
      expect(error.message).not.toContain('natural');
    }
  });
});
