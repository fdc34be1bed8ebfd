import { decide, Model, presence, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { type AuditEntry, auditLog } from '../../examples/extensions/audit-log.js';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

function setUp() {
  const clock = manualClock();
  clock.advance(1000);
  const entries: AuditEntry[] = [];
  const fields = { id: 'int', name: { type: 'string', validators: [presence()] } } as const;
  const use = [auditLog((entry) => entries.push(entry))];
  class User extends Model.define({ name: 'user', fields, proxy: server.proxy('/users', { clock, use }) }) {}
  /** Entries that were reported since the last call, without their time. */
  const said = () => entries.splice(0).map(({ action, model, id, ending }) => [action, model, id, ending]);
  return { User, entries, said };
}
const ended = (call: Promise<unknown>) => call.catch(() => undefined);

describe('the extension auditLog()', () => {
  test('reports action, model, id and ending of every write, and no values', async () => {
    const { User, entries } = setUp();
    server.reply({ status: 201, json: { id: 7, name: 'Ed' } });
    await new User({ name: 'Ed' }).save();
    expect(entries).toEqual([{ time: 1000, action: 'create', model: 'user', id: 7, ending: 'done' }]);
  });

  test('reports how writes ended', async () => {
    const { User, said } = setUp();
    server.reply({ status: 422 }, { drop: true });
    const user = new User({ name: 'Ed' });
    await ended(user.save());
    expect(said()).toEqual([['create', 'user', undefined, 'refused']]);
    await ended(user.save());
    expect(said()).toEqual([['create', 'user', undefined, 'unconfirmed']]);
    decide(user, { id: 7, name: 'Ed' });
    expect(said()).toEqual([['create', 'user', 7, 'done']]);
    user.name = '';
    await ended(user.save());
    expect(said()).toEqual([['update', 'user', 7, 'noNews']]);
    server.reply({ status: 204 });
    await user.erase();
    expect(said()).toEqual([['destroy', 'user', 7, 'done']]);
  });

  test('reports each record of a sync(), even if one request writes several', async () => {
    const { User, said } = setUp();
    const Bulk = User.with({ proxy: { batchActions: true } });
    server.reply({ json: [1, 2].map((id) => ({ id, name: 'Ed' })) }, { status: 204 });
    const users = new Store({ model: Bulk });
    await users.load();
    for (const user of users) user.name = 'Eddy';
    (await users.sync()).orThrow();
    expect(server.lines).toEqual(['GET /users?page=1&start=0&limit=25', 'PUT /users']);
    expect(said()).toEqual([1, 2].map((id) => ['update', 'user', id, 'done']));
  });

  test('reports no reads', async () => {
    const { User, said } = setUp();
    server.reply({ json: { id: 7, name: 'Ed' } });
    const user = await User.load(7);
    expect([user.getId(), said()]).toEqual([7, []]);
  });
});
