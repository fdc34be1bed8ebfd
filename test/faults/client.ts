import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises';
import { type Batch, Store, sync } from 'repose';
import { fileStorage, memoryStorage, Outbox } from '../../src/outbox.js';
import { Journal } from './journal.js';
import { type AnyRecord, createModels } from './models.js';
import { Random } from './random.js';
import { type AnyStore, StoreUse } from './store-use.js';
import type { TableName } from './tables.js';
import { Tracker } from './tracker.js';

/** Options that a client is started with. */
export interface ClientOptions {
  readonly seed: number;
  /** From 1. */
  readonly client: number;
  readonly clients: number;
  /** The last step. */
  readonly steps: number;
  /** Origin of its fault proxy. */
  readonly url: string;
  /** File of its journal; steps continue after the last one in it. */
  readonly journal: string;
  /** File of its outbox. */
  readonly outbox: string;
  readonly timeout: number;
  readonly without: readonly string[];
  /** The point at which the client kills itself. */
  readonly killAt?: SelfKill | undefined;
}

/** After this many turns of the event loop since a step began, or when this many writes are stored and not sent. */
export type SelfKill = { readonly step: number; readonly turns: number } | { readonly stored: number };

const options = JSON.parse(process.argv[2] as string) as ClientOptions;
const { seed, client, clients, steps, url, timeout, without, killAt } = options;
const journal = new Journal(options.journal);
const tracker = new Tracker();
const given = new Set(
  journal.read().flatMap((entry) => (entry.t === 'want' && entry.op === 'destroy' ? entry.row : [])),
);
let storedWrites = 0;
// Some clients use `retry()`, others the outbox alone.
const bare = createModels({ url, timeout, without, repeats: (client - 1) % 4 });
const outbox = without.includes('outbox') ? undefined : await openOutbox();
const proxy = { ...(outbox && { use: [outbox] }) };
const models = {
  tasks: bare.tasks.with({ proxy }),
  users: bare.users.with({ proxy }),
  teams: bare.teams.with({ proxy }),
};

const plan: readonly { name: string; table: TableName; config: object }[] = [
  { name: 'tasksA', table: 'tasks', config: { pageSize: 20, remoteSort: true } },
  {
    name: 'tasksB',
    table: 'tasks',
    config: { pageSize: 30, remoteSort: true, sorters: [{ property: 'title', direction: 'DESC' }], concurrency: 2 },
  },
  { name: 'users', table: 'users', config: { pageSize: 20, remoteSort: true } },
  { name: 'teams', table: 'teams', config: { pageSize: 20, remoteSort: true } },
];
const uses = plan.map(({ name, table, config }) => {
  const same = plan.filter((each) => each.table === table).map((each) => each.name);
  return new StoreUse({
    ...{ name, table, client, journal, tracker, given, outbox, stored },
    parent: table === 'tasks' ? (random) => (random.chance(0.5) ? users().parent(random) : undefined) : undefined,
    store: new Store({ model: models[table] as typeof models.teams, ...config }) as unknown as AnyStore,
    share: (client - 1) * same.length + same.indexOf(name),
    shares: clients * same.length,
  });
});

/** The store of users, to which tasks refer. */
function users(): StoreUse {
  return uses.find(({ name }) => name === 'users') as StoreUse;
}

outbox?.on('sent', ({ entry, record }) =>
  useOf(entry.model, record).sent(entry.action, record as unknown as AnyRecord),
);
outbox?.on('failed', (write) => {
  if (write.record) void useOf(write.entry?.model, write.record).solve(write);
});

function stored(): void {
  storedWrites += 1;
  if (killAt && 'stored' in killAt && killAt.stored === storedWrites) process.kill(process.pid, 'SIGKILL');
}

async function openOutbox(): Promise<Outbox> {
  const opened = new Outbox({
    ...{ scope: `client-${client}`, models: Object.values(bare) },
    storage: without.includes('durability') ? memoryStorage() : fileStorage(options.outbox),
    ...{ backoff: { base: 10, max: 100 }, maxAttempts: 5 },
    onProblem: (problem) => journal.write({ t: 'odd', what: `outbox: ${problem.stack}` }),
  });
  await opened.ready;
  return opened;
}

/** The store to whose share a record belongs. */
function useOf(model: string | undefined, record: object): StoreUse {
  const own = uses.find((use) => use.model === model && use.owns(record as AnyRecord));
  return own ?? (uses.find((use) => use.model === model) as StoreUse);
}

async function step(number: number): Promise<void> {
  journal.write({ t: 'step', n: number });
  const random = new Random(seed, 'step', client, number);
  const use = random.pick(uses);
  const action = random.weighed({
    ...{ edit: 40, create: 11, erase: 7, save: 18, sync: 14, syncAll: 5, load: 8, reload: 4, wait: 3 },
  });
  if (action === 'edit') use.edit(random, number);
  if (action === 'create') use.create(random, number);
  if (action === 'erase') use.erase(random);
  if (action === 'save') use.save(random);
  if (action === 'reload') void use.reload(random);
  const works = { sync: () => use.sync(), syncAll, load: () => use.load(random.integer(1, 6)) };
  const work = works[action as keyof typeof works]?.();
  if (killAt && 'step' in killAt && killAt.step === number) {
    for (let turn = 0; turn < killAt.turns; turn += 1) await tick();
    process.kill(process.pid, 'SIGKILL');
  }
  if (action === 'wait' || random.chance(0.12)) {
    await work;
    await tracker.below(0);
  }
  await tick();
  await tracker.below(12);
}

/** All stores as one unit of work. */
async function syncAll(): Promise<void> {
  tracker.count('sync of all');
  const batch: Batch<AnyRecord> = await tracker.track(sync(uses.map(({ store }) => store as never)));
  await Promise.all(
    batch.outcomes.map((outcome) => {
      const { record } = outcome;
      const same = uses.filter(({ table }) => record instanceof bare[table]);
      return (same.find((use) => use.owns(record)) ?? (same[0] as StoreUse)).take(outcome);
    }),
  );
}

/** Sends pending writes until none is left. */
async function drain(): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    await tracker.below(0);
    if (uses.every(({ pending }) => pending === 0) && !outbox?.size) return;
    await Promise.all(uses.map((use) => use.sync()));
    // No other code handles writes that failed before this process started.
    for (const write of outbox?.failed ?? [])
      if (write.record && (write.state !== 'held' || round > 10)) {
        await useOf(write.entry?.model, write.record).solve(write);
      }
    await outbox?.send();
    await sleep(5);
  }
  for (const { model, key, action, state, error } of outbox?.entries ?? []) {
    const why = `${state} ${JSON.stringify(error)}`;
    journal.write({ t: 'odd', what: `outbox: ${action} of ${model} ${key} stays: ${why}` });
  }
  for (const { name, pending } of uses)
    if (pending) journal.write({ t: 'odd', what: `${name}: ${pending} stay pending` });
}

async function run(): Promise<void> {
  const first = journal.lastStep() + 1;
  await Promise.all(uses.map((use) => use.load(1)));
  for (let number = first; number <= steps; number += 1) await step(number);
  await tracker.below(0);
  const finish = new Promise((resolve) => process.once('message', resolve));
  process.send?.('done');
  await finish;
  await drain();
  for (const use of uses) use.verify();
  await outbox?.close();
  const closed = new Promise((resolve) => process.once('disconnect', resolve));
  process.disconnect();
  await closed;
  // Closing resources takes one turn of the event loop.
  await tick();
  const { made, settled, counts } = tracker;
  journal.write({ t: 'end', made, settled, resources: process.getActiveResourcesInfo(), counts });
}

process.on('unhandledRejection', (error) => {
  journal.write({ t: 'odd', what: `unhandled: ${(error as Error)?.stack ?? error}` });
});
void run();
