import { Model, plain, Session, Store } from 'repose';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadedKey, loadedSource } from '../../src/binding/loaded-record.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: server.proxy('/tasks', { dialect: plain() }),
}) {}

test('a failed load is given up after a while, and tried again, also while another screen shows its error', async () => {
  const source = loadedSource(Task, 7, {});
  server.reply({ status: 500 }, { status: 500 }, { json: { id: 7, title: 'Call' } });
  onTestFinished(source.subscribe(() => undefined));
  await expect.poll(() => source.get().error).toMatchObject({ status: 500 });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const suspended = loadedSource(Task, 7, {});
  // React may render what has failed once more.
  expect([suspended.giveUp(), suspended.giveUp()]).toEqual([true, true]);
  vi.advanceTimersByTime(500);
  expect(suspended.giveUp()).toBe(false);
  await suspended.wait();
  expect([suspended.get().error, suspended.giveUp()]).toMatchObject([{ status: 500 }, true]);
  vi.advanceTimersByTime(500);
  expect(suspended.giveUp()).toBe(false);
  await suspended.wait();
  expect([suspended.get().record?.title, source.get().record?.title]).toEqual(['Call', 'Call']);
  expect(server.requests).toHaveLength(3);
});

test('a record of a session is the one of its lists, is shown without a request, and keeps its edits', async () => {
  const session = new Session();
  const tasks = new Store({ model: Task, session, data: [{ id: 7, title: 'Call' }] });
  const source = loadedSource(Task, '7', { session });
  const stop = source.subscribe(() => undefined);
  expect(source.get()).toMatchObject({ loading: false, notFound: false });
  expect(source.get().record).toBe(tasks.getById(7));
  source.get().record?.set('title', 'Call back');
  stop();
  const later = loadedSource(Task, 7, { session });
  onTestFinished(later.subscribe(() => undefined));
  expect(later.get().record?.title).toBe('Call back');
  server.reply({ json: { id: 7, title: 'Ask' } });
  expect(await later.get().reload()).toBe(true);
  expect(later.get().record?.title).toBe('Call back');
  expect(server.requests).toHaveLength(1);
});

test('a record that the session does not have is loaded into it, once for all screens', async () => {
  const session = new Session();
  server.reply({ json: { id: 8, title: 'Book' } });
  const sources = [loadedSource(Task, 8, { session }), loadedSource(Task, '8', { session })];
  for (const source of sources) onTestFinished(source.subscribe(() => undefined));
  await expect.poll(() => sources[0]?.get().record?.title).toBe('Book');
  expect(sources[1]?.get().record).toBe(sources[0]?.get().record);
  expect(session.getById(Task, 8)).toBe(sources[0]?.get().record);
  expect(server.requests.map(({ url }) => url)).toEqual(['/tasks/8']);
});

test('two sessions show two records, and what is no session is refused', () => {
  const [one, other] = [new Session(), new Session()];
  const keys = [{ session: one }, { session: other }, {}].map((options) => loadedKey(Task, 7, options));
  expect(new Set(keys).size).toBe(3);
  expect(loadedKey(Task, 7, { session: one })).toBe(keys[0]);
  expect(() => loadedKey(Task, 7, { session: Task as never })).toThrow('The session of a loaded record');
});
