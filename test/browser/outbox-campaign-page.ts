// Runs in a browser: a page of the application that the campaign operates.
import { etags, idempotency, Model, plain, Store } from 'repose';
import { indexedDbStorage, Outbox } from 'repose/outbox';

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', mark: 'string', title: 'string', note: 'string' },
  proxy: { type: 'rest', url: '/tasks', dialect: plain(), use: [idempotency(), etags()], timeout: 3000 },
}) {}

const outbox = new Outbox({
  scope: 'a',
  storage: indexedDbStorage('campaign'),
  models: [Task],
  backoff: { base: 20, max: 200 },
  maxAttempts: 1000,
});
const store = new Store({ model: Task, proxy: { use: [outbox] } });
const find = (mark: string) => [...store].find((record) => record.mark === mark && !record.erased);
const told = (write: Promise<unknown> | undefined) =>
  write?.then(
    () => 'sent',
    (error: { queued?: boolean }) => (error.queued ? 'queued' : `failed: ${String(error)}`),
  ) ?? Promise.resolve('absent');

const tools = {
  marks: () => [...store].filter((record) => !record.erased).map(({ mark }) => mark),
  create: (mark: string, title: string) => told(store.add({ mark, title, note: '' })[0]?.save()),
  edit(mark: string, field: 'title' | 'note', value: string, saves: boolean) {
    const record = find(mark);
    if (record) record[field] = value;
    return saves ? told(record?.save()) : Promise.resolve('typed');
  },
  erase: (mark: string) => told(find(mark)?.erase()),
  /** Gives failed writes up. Resolves with the values that the server has refused. */
  async dropFailed() {
    const refused = outbox.failed.flatMap(({ entry }) => Object.values(entry?.values ?? {}).map(String));
    for (const write of outbox.failed) await outbox.discard(write).catch(() => undefined);
    return refused;
  },
  size: () => outbox.size,
  flush: () => outbox.send(),
  /** Tells why an outbox still waits, for a campaign that does not end. */
  dump: () => JSON.stringify({ status: outbox.status.get(), failed: outbox.failed, problems: outbox.problems }),
  dirty: () => [...store].filter((record) => record.dirty).map(({ mark }) => mark),
  shown: () => [...store].filter((record) => !record.erased).map(({ mark, title, note }) => ({ mark, title, note })),
};
export type CampaignTools = typeof tools;

void outbox.ready.then(() => store.load()).finally(() => Object.assign(globalThis, { tools }));
