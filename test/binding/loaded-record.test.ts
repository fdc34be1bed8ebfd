import { Model, plain } from 'repose';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadedSource } from '../../src/binding/loaded-record.js';
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
