import { etags, idempotency, Model, plain, Store } from 'repose';
import { type FailedWrite, type LockManager, Outbox, type OutboxStorage } from 'repose/outbox';
import type { Gates, Picks } from './gates.js';
import type { WalkServer } from './walk-server.js';

/** A save that the user asked for, and what the user was told of it. */
export interface AskedSave {
  readonly tab: string;
  readonly mark: string;
  /** The saved values by field; undefined: an erase. */
  readonly values: Readonly<Record<string, string>> | undefined;
  told: 'nothing' | 'sent' | 'queued' | 'failed';
  error?: unknown;
}

/** Everything that users did. */
export interface Asked {
  readonly saves: AskedSave[];
  /** Records whose unconfirmed create the application has retried. */
  readonly retried: Set<string>;
  /** Records about which the application has decided. */
  readonly decided: Set<string>;
  nextValue: number;
}

export interface TabOptions {
  readonly name: string;
  readonly storage: OutboxStorage;
  readonly locks: LockManager;
  readonly fetch: typeof globalThis.fetch;
  readonly withKeys: boolean;
  readonly withTags: boolean;
  readonly gates: Gates;
  readonly asked: Asked;
  readonly server: WalkServer;
}

const FIELDS = ['title', 'note'] as const;

/** An action of a user: `title` and `note` save a new value of that field. */
export type WalkAction = 'create' | 'title' | 'note' | 'erase' | 'flush';

function defineTask({ fetch, withKeys, withTags }: TabOptions, clock: Clock) {
  return class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', mark: 'string', title: 'string', note: 'string' },
    proxy: {
      ...{ type: 'rest', url: '/tasks', baseUrl: 'http://walk.test', dialect: plain(), fetch, clock },
      use: [...(withKeys ? [idempotency()] : []), ...(withTags ? [etags()] : [])],
    },
  }) {};
}

interface Clock {
  now(): number;
  after(ms: number, callback: () => void): () => void;
}

type Task = InstanceType<ReturnType<typeof defineTask>>;

/** A page of the application: a store with an outbox, and a user. */
export class WalkTab {
  readonly outbox: Outbox;
  readonly store: Store<Task>;
  isAlive = true;
  /** Whether the outbox could not be opened, which the user is told: the page has to be loaded again. */
  hasFailed = false;
  private now = 0;

  constructor(
    private readonly options: TabOptions,
    /** Stands for the page where others have to name it. */
    readonly identity: object,
  ) {
    const { storage, locks, gates, name } = options;
    const clock: Clock = {
      now: () => this.now,
      after: (ms, callback) => {
        const due = this.now + ms;
        const ring = () => {
          this.now = Math.max(this.now, due);
          callback();
        };
        return gates.later(`${name}: a timer of ${ms} ms`, identity, ring, true);
      },
    };
    const Defined = defineTask(options, clock);
    this.outbox = new Outbox({ scope: 'a', storage, locks, clock, models: [Defined], random: () => 0.5 });
    this.outbox.ready.catch(() => {
      this.hasFailed = true;
    });
    this.store = new Store({ model: Defined, proxy: { use: [this.outbox] } }) as unknown as Store<Task>;
    this.store.load().catch(() => undefined);
  }

  get records(): Task[] {
    return [...this.store].filter((record) => !record.erased);
  }

  /** One action of the user or the application. Returns its name; undefined: there was nothing to do. */
  act(random: Picks): string | undefined {
    const actions = [
      () => this.create(),
      ...[1, 2, 3].map(() => () => this.edit(random, true)),
      () => this.edit(random, false),
      () => this.erase(random),
      () => this.decide(random),
      () => this.flush(),
    ];
    return random.pick(actions)();
  }

  /** Whether an action of a scenario is possible now. */
  canPerform(action: WalkAction): boolean {
    return action === 'create' || action === 'flush' || this.records.length > 0;
  }

  /** One action of a scenario, which is about the first record that the tab shows. */
  perform(action: WalkAction): string {
    if (action === 'create') return this.create();
    if (action === 'flush') return this.flush();
    const [record] = this.records as [Task];
    return action === 'erase' ? this.eraseRecord(record) : this.editField(record, action, true);
  }

  private create(): string {
    const { name, asked } = this.options;
    const mark = `m${asked.nextValue++}`;
    const [record] = this.store.add({ mark, title: `v${asked.nextValue++}`, note: '' });
    this.save(record as Task);
    return `${name} creates ${mark}`;
  }

  private edit(random: Picks, saves: boolean): string | undefined {
    const { records } = this;
    return records.length === 0 ? undefined : this.editField(random.pick(records), random.pick(FIELDS), saves);
  }

  private editField(record: Task, field: (typeof FIELDS)[number], saves: boolean): string {
    const { name, asked } = this.options;
    record[field] = `v${asked.nextValue++}`;
    if (saves) this.save(record);
    return `${name} ${saves ? 'saves' : 'types'} ${record.mark}.${field} = ${record[field]}`;
  }

  private save(record: Task): void {
    const edited = record.phantom ? ['mark', ...FIELDS] : Object.keys(record.$.modified);
    const values = Object.fromEntries(edited.map((field) => [field, String(record.get(field as 'title'))]));
    this.ask(record, values, record.save());
  }

  private erase(random: Picks): string | undefined {
    const { records } = this;
    return records.length < 3 ? undefined : this.eraseRecord(random.pick(records));
  }

  private eraseRecord(record: Task): string {
    this.ask(record, undefined, record.erase());
    return `${this.options.name} erases ${record.mark}`;
  }

  private ask(record: Task, values: AskedSave['values'], done: Promise<unknown>): void {
    const { asked, name } = this.options;
    const save: AskedSave = { tab: name, mark: record.mark as string, values, told: 'nothing' };
    asked.saves.push(save);
    done.then(
      () => {
        save.told = 'sent';
      },
      (error: { queued?: boolean }) => {
        save.told = error.queued ? 'queued' : 'failed';
        save.error = error;
      },
    );
  }

  private flush(): string {
    this.outbox.send().catch(() => undefined);
    return `${this.options.name} flushes`;
  }

  /** Decides about a write that waits for it, as a user does who looks at the server. */
  decide(random: Picks): string | undefined {
    const { failed } = this.outbox;
    if (failed.length === 0) return undefined;
    const write = random.pick(failed);
    const mark = this.markOf(write);
    const how = this.decideAbout(write, mark, random);
    return `${this.options.name} decides about ${mark} (${write.state}): ${how}`;
  }

  /** The record that a write is about, also if only the values of its edits are stored. */
  private markOf({ record, entry }: FailedWrite): string {
    const { rows } = this.options.server;
    return (record as Task | undefined)?.mark ?? rows.get(entry?.id as number)?.mark ?? '?';
  }

  private decideAbout(write: FailedWrite, mark: string, random: Picks): string {
    const { outbox } = this;
    const { asked, server } = this.options;
    const quietly = (promise: Promise<unknown>) => void promise.catch(() => undefined);
    asked.decided.add(mark);
    if (write.state === 'unconfirmed') {
      const row = server.rowOf(mark);
      if (!row) asked.retried.add(mark);
      quietly(row ? outbox.confirm(write, row) : outbox.retry(write));
      return row ? 'it is there' : 'it is not there';
    }
    const choice = random.integer(0, 2);
    if (choice === 0) quietly(outbox.discard(write));
    else if (choice === 1) quietly(outbox.retry(write));
    else {
      const value = `v${asked.nextValue++}`;
      asked.saves.push({ tab: this.options.name, mark, values: { title: value }, told: 'nothing' });
      quietly(outbox.repair(write, { title: value }));
    }
    return ['drop', 'retry', 'repair'][choice] as string;
  }
}
