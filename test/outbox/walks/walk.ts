import { memoryStorage, type OutboxStorage } from 'repose/outbox';
import { Random } from '../../faults/random.js';
import { BrowserTabs } from '../storage/browser-tabs.js';
import { Gates } from './gates.js';
import { WalkLocks } from './walk-locks.js';
import { type Faults, WalkServer } from './walk-server.js';
import { StorageLog, sharedStorage, walkStorage } from './walk-storage.js';
import { type Asked, WalkTab } from './walk-tab.js';

export interface WalkOptions {
  readonly seed: number;
  /** The number of steps before all faults end. */
  readonly steps: number;
  readonly tabs: number;
  readonly storage: 'memory' | 'indexed-db';
}

export interface WalkResult {
  readonly steps: number;
  readonly findings: readonly string[];
  readonly history: readonly string[];
}

/** Steps within which everything must have been sent when no faults happen any more. */
const PATIENCE = 4000;

/** A walk: tabs, a storage, locks and a server, whose steps happen in a random order that a seed repeats. */
export class Walk {
  private readonly gates: Gates = new Gates();
  private readonly random: Random;
  private readonly locks: WalkLocks = new WalkLocks(this.gates);
  private readonly log: StorageLog = new StorageLog();
  private readonly asked: Asked = { saves: [], retried: new Set(), decided: new Set(), nextValue: 1 };
  private readonly faults: Faults;
  private readonly server: WalkServer;
  private readonly tabs: WalkTab[] = [];
  private readonly createStorage: () => OutboxStorage;
  private readonly withKeys: boolean;
  private readonly withTags: boolean;
  private kills: number;
  private storageFaults: number;
  private opened = 0;
  private steps = 0;

  constructor(private readonly options: WalkOptions) {
    const { seed, storage } = options;
    this.random = new Random(seed, 'walk');
    this.withKeys = this.random.integer(0, 1) === 1;
    this.withTags = this.random.integer(0, 1) === 1;
    this.kills = this.random.integer(0, 2);
    this.storageFaults = this.random.integer(0, 2);
    this.faults = {
      losses: this.random.integer(0, 4),
      refusals: this.random.integer(0, 2),
      busy: this.random.integer(0, 2),
    };
    this.server = new WalkServer(this.gates, this.random, this.faults, this.withTags);
    for (const mark of ['first', 'second']) this.server.add({ mark, title: `${mark} title`, note: `${mark} note` });
    if (storage === 'memory') this.createStorage = sharedStorage(memoryStorage());
    else {
      const browser = new BrowserTabs();
      this.createStorage = () => browser.createStorage();
    }
  }

  async run(): Promise<WalkResult> {
    const unhandled: string[] = [];
    const note = (error: unknown) => unhandled.push(`unhandled: ${String((error as Error).stack)}`);
    process.on('unhandledRejection', note);
    try {
      const { findings, ...result } = await this.runAll();
      return { ...result, findings: [...findings, ...unhandled] };
    } finally {
      process.off('unhandledRejection', note);
    }
  }

  private async runAll(): Promise<WalkResult> {
    const { gates, random, options } = this;
    for (let at = 0; at < options.tabs; at += 1) await this.open();
    for (; this.steps < options.steps; this.steps += 1) {
      const alive = this.tabs.filter(({ isAlive }) => isAlive);
      const dice = random.integer(0, 99);
      if (dice < 3 && this.kills > 0 && alive.length > 0) this.kill(random.pick(alive));
      else if (dice < 6 && alive.length < options.tabs) await this.open();
      else if ((dice < 25 || gates.count === 0) && alive.length > 0) this.note(random.pick(alive).act(random));
      else gates.openOne(random);
      await gates.settle();
    }
    const end = await this.finish();
    return { steps: this.steps, findings: end ? [end, ...this.check()] : this.check(), history: gates.history };
  }

  private note(what: string | undefined): void {
    if (what) this.gates.history.push(what);
  }

  private async open(): Promise<void> {
    const { gates, locks, log, server, asked, withKeys, withTags } = this;
    this.opened += 1;
    const name = `tab ${this.opened}`;
    const identity = { name };
    const fails = () => {
      if (this.storageFaults === 0 || this.random.integer(0, 19) > 0) return false;
      this.storageFaults -= 1;
      return true;
    };
    const storage = walkStorage(this.createStorage(), identity, name, gates, log, fails);
    this.note(`${name} is opened`);
    this.tabs.push(
      new WalkTab(
        {
          ...{ name, storage, withKeys, withTags, gates, asked, server, locks: locks.ofTab(identity, name) },
          fetch: server.ofTab(identity, name, () => withKeys && withTags),
        },
        identity,
      ),
    );
    await gates.settle();
  }

  private kill(tab: WalkTab): void {
    this.kills -= 1;
    tab.isAlive = false;
    this.note(`${(tab.identity as { name: string }).name} is killed`);
    this.gates.close(tab.identity);
    this.locks.close(tab.identity);
  }

  /** No faults any more: everything that is stored must be sent, and what waits for a decision gets one. */
  private async finish(): Promise<string | undefined> {
    const { gates, random } = this;
    Object.assign(this.faults, { losses: 0, refusals: 0, busy: 0 });
    this.storageFaults = 0;
    this.note('no faults any more');
    if (!this.tabs.some(({ isAlive }) => isAlive)) await this.open();
    const alive = this.tabs.filter(({ isAlive }) => isAlive);
    for (let left = PATIENCE; left > 0; left -= 1) {
      this.steps += 1;
      if (gates.count > 0) gates.openOne(random);
      else {
        const waiting = alive.filter(({ outbox }) => outbox.failed.length > 0);
        const all = this.log.appended.filter(({ key }) => !this.log.outcomes.has(key));
        if (waiting.length === 0 && all.length === 0) return undefined;
        if (waiting.length > 0) this.note(random.pick(waiting).decide(random));
        else for (const { outbox } of alive) outbox.flush().catch(() => undefined);
      }
      await gates.settle();
    }
    const sizes = alive
      .map(({ outbox }) => `${outbox.size} (${outbox.failed.map(({ state }) => state).join()})`)
      .join(', ');
    return `stuck: outboxes keep ${sizes}; changes ${this.log.appended
      .filter(({ key }) => !this.log.outcomes.has(key))
      .map(({ key }) => key)
      .join()} have no outcome`;
  }

  private check(): string[] {
    const { server, asked, log } = this;
    const findings: string[] = [...log.odd];
    const count = (mark: string) => server.created.filter((each) => each === mark).length;
    for (const mark of new Set(server.created)) {
      if (count(mark) > 1 && !asked.retried.has(mark))
        findings.push(`doubled: ${mark} was created ${count(mark)} times`);
    }
    const saved = new Set(asked.saves.flatMap(({ values }) => Object.values(values ?? {})));
    for (const value of server.seen) {
      if (value !== '' && !saved.has(value)) findings.push(`unasked: the server got ${value}, which was only typed`);
    }
    findings.push(...this.lost(), ...this.reordered(), ...this.shown());
    return findings;
  }

  /** Saves that were told as sent or queued, and of which nothing was stored. */
  private lost(): string[] {
    const { asked, log } = this;
    const isStored = (value: string) => log.appended.some(({ values }) => Object.values(values).includes(value));
    return asked.saves.flatMap(({ tab, mark, values, told, error }, at) => {
      if (told !== 'sent' && told !== 'queued') return [];
      return Object.entries(values ?? {}).flatMap(([field, value]) => {
        const later = asked.saves.slice(at).filter((each) => each.tab === tab && each.mark === mark);
        const isKept = later.some(
          (each) => !each.values || (field in each.values && isStored(each.values[field] as string)),
        );
        return value === '' || isKept
          ? []
          : [
              `lost: ${mark}.${field} = ${value} was told as ${told} (${String((error as Error | undefined)?.message).slice(0, 90)}), and never stored`,
            ];
      });
    });
  }

  /** Rows whose values are not those of the last change that was sent. */
  private reordered(): string[] {
    const { asked, log, server } = this;
    const findings: string[] = [];
    const marks = new Set(asked.saves.map(({ mark }) => mark));
    const sent = log.appended.filter(({ key }) => log.outcomes.get(key) === 'sent').sort((a, b) => a.key - b.key);
    for (const mark of marks) {
      const row = server.rowOf(mark);
      const values = asked.saves
        .filter((save) => save.mark === mark)
        .flatMap((save) => Object.entries(save.values ?? {}));
      for (const field of ['title', 'note']) {
        const ofField = values.filter(([name, value]) => name === field && value !== '').map(([, value]) => value);
        const last = sent.flatMap(({ values: stored }) => ofField.filter((value) => stored[field] === value)).at(-1);
        if (row && last !== undefined && row[field] !== last)
          findings.push(`reordered: ${mark}.${field} is ${String(row[field])}, and the last that was sent is ${last}`);
      }
      const isErased = asked.saves.some((save) => save.mark === mark && !save.values);
      const isCreated = sent.some(({ values: stored, action }) => action === 'create' && stored['mark'] === mark);
      if (!row && isCreated && !isErased) findings.push(`lost: ${mark} was told as created, and is not there`);
    }
    return findings;
  }

  /** Records that are shown with other values than the server has, though nothing waits. */
  private shown(): string[] {
    return this.tabs
      .filter(({ isAlive }) => isAlive)
      .flatMap((tab) =>
        tab.records.flatMap((record) => {
          const row = this.server.rowOf(record.mark);
          const { name } = tab.identity as { name: string };
          if (record.dirty || record.phantom) return [];
          if (!row) return [`shown: ${name} shows ${record.mark}, which is not there`];
          return (['title', 'note'] as const).flatMap((field) =>
            record[field] === row[field]
              ? []
              : [
                  `shown: ${name} shows ${record.mark}.${field} as ${record[field]}, and the server has ${String(row[field])}`,
                ],
          );
        }),
      );
  }
}
