// Writes until it is killed: `tsx writer-process.ts FILE URL`. Prints each write that it knows to be done.
import { idempotency, Model, plain, Store } from 'repose';
import { fileStorage, Outbox } from 'repose/outbox';

const [, , file = '', baseUrl = ''] = process.argv;

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: {
    type: 'rest',
    url: '/users',
    baseUrl,
    dialect: plain(),
    use: [idempotency()],
    timeout: 5000,
  },
}) {}

const say = (word: string, text: string) => process.stdout.write(`${word} ${text}\n`);
const outbox = new Outbox({ scope: 'a', storage: fileStorage(file), models: [User] });
await outbox.ready;
const users = new Store({ model: User.with({ proxy: { use: [outbox] } }) });
const run = `${process.pid}-${Date.now()}`;
for (let i = 0; ; i += 1) {
  const [user] = users.add({ name: `${run}-${i}` });
  say('asked', `${run}-${i}`);
  const saved = user?.save().then(
    () => say('done', `${run}-${i}`),
    (error: { queued?: boolean }) => say(error.queued ? 'queued' : 'failed', `${run}-${i}`),
  );
  if (i % 4 === 3) await saved;
}
