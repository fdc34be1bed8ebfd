// Runs in a browser: an outbox on its database, with the server of the test.
import { idempotency, Model, plain, Store } from 'repose';
import { indexedDbStorage, Outbox } from 'repose/outbox';

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: { type: 'rest', url: '/users', dialect: plain(), use: [idempotency()], timeout: 5000 },
}) {}

async function start(): Promise<void> {
  const outbox = new Outbox({ scope: 'a', storage: indexedDbStorage('page'), models: [User], autoStart: false });
  await outbox.ready;
  const users = new Store({ model: User, proxy: { use: [outbox] } });
  const tools = {
    size: () => outbox.size,
    names: () => users.pending.created.map(({ name }) => name),
    create: (name: string) =>
      users
        .add({ name })[0]
        ?.save()
        .then(
          () => 'done',
          (error: { queued?: boolean }) => (error.queued ? 'queued' : String(error)),
        ),
    flush: () => outbox.send(),
    resume: () => outbox.resume(),
    drained: () => outbox.drained(),
  };
  Object.assign(globalThis, { tools });
}

void start();
