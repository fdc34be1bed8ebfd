import { memoryStorage, type OutboxStorage } from 'repose/outbox';
import { BrowserTabs } from '../storage/browser-tabs.js';
import { Gates, type Picks } from './gates.js';
import { brokenLaws, type LawfulRun } from './laws.js';
import { WalkLocks } from './walk-locks.js';
import { type Faults, WalkServer } from './walk-server.js';
import { StorageLog, sharedStorage, walkStorage } from './walk-storage.js';
import { type Asked, WalkTab } from './walk-tab.js';

/** Steps within which everything must have been sent when no faults happen any more. */
const PATIENCE = 4000;

export interface WorldOptions {
  readonly storage: 'memory' | 'indexed-db';
  /** Whether creates have idempotency keys. */
  readonly withKeys: boolean;
  /** Whether rows have ETags. */
  readonly withTags: boolean;
  /** The rows that the server has at the beginning. */
  readonly marks: readonly string[];
  readonly faults: Faults;
  /** How often a step of the storage may fail. */
  readonly storageFaults: number;
}

/** Tabs, a storage, locks and a server. Whoever runs them decides about the order of their steps. */
export abstract class World implements LawfulRun {
  readonly log: StorageLog = new StorageLog();
  readonly asked: Asked = { saves: [], retried: new Set(), decided: new Set(), nextValue: 1 };
  readonly server: WalkServer;
  readonly tabs: WalkTab[] = [];
  protected readonly gates: Gates = new Gates();
  protected steps = 0;
  private readonly locks: WalkLocks = new WalkLocks(this.gates);
  private readonly createStorage: () => OutboxStorage;
  private storageFaults: number;
  private opened = 0;

  constructor(
    private readonly world: WorldOptions,
    private readonly picks: Picks,
  ) {
    this.storageFaults = world.storageFaults;
    this.server = new WalkServer(this.gates, picks, world.faults, world.withTags);
    for (const mark of world.marks) this.server.add({ mark, title: `${mark} title`, note: `${mark} note` });
    if (world.storage === 'memory') this.createStorage = sharedStorage(memoryStorage());
    else {
      const browser = new BrowserTabs();
      this.createStorage = () => browser.createStorage();
    }
  }

  /** Runs the steps until `finish` takes over. */
  protected abstract perform(): Promise<void>;

  /** Runs everything to its end. Returns what breaks a law. */
  protected async runToEnd(): Promise<string[]> {
    const unhandled: string[] = [];
    const note = (error: unknown) => unhandled.push(`unhandled: ${String((error as Error).stack)}`);
    process.on('unhandledRejection', note);
    try {
      await this.perform();
      const end = await this.finish();
      return [...(end ? [end] : []), ...brokenLaws(this), ...unhandled];
    } finally {
      process.off('unhandledRejection', note);
    }
  }

  protected get alive(): readonly WalkTab[] {
    return this.tabs.filter(({ isAlive }) => isAlive);
  }

  protected note(what: string | undefined): void {
    if (what) this.gates.history.push(what);
  }

  protected async open(): Promise<void> {
    const { gates, locks, log, server, asked, picks } = this;
    const { withKeys, withTags } = this.world;
    this.opened += 1;
    const name = `tab ${this.opened}`;
    const identity = { name };
    const fails = () => {
      if (this.storageFaults === 0 || picks.integer(0, 19) > 0) return false;
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

  protected close(tab: WalkTab, why: string): void {
    tab.isAlive = false;
    this.note(`${(tab.identity as { name: string }).name} ${why}`);
    this.gates.close(tab.identity);
    this.locks.close(tab.identity);
  }

  /** No faults any more: everything that is stored must be sent, and what waits for a decision gets one. */
  private async finish(): Promise<string | undefined> {
    const { gates, picks, world } = this;
    Object.assign(world.faults, { losses: 0, refusals: 0, busy: 0 });
    this.storageFaults = 0;
    this.note('no faults any more');
    let alive: readonly WalkTab[] = [];
    let hasFlushed = false;
    for (let left = PATIENCE; left > 0; left -= 1) {
      this.steps += 1;
      for (const tab of this.tabs) if (tab.isAlive && tab.hasFailed) this.close(tab, 'is closed, since its outbox is');
      if (this.alive.length === 0) await this.open();
      alive = this.alive;
      if (gates.count > 0) gates.openOne(picks, true);
      else {
        const waiting = alive.filter(({ outbox }) => outbox.failed.length > 0);
        const all = this.log.appended.filter(({ key }) => !this.log.outcomes.has(key));
        if (waiting.length > 0) this.note(picks.pick(waiting).decide(picks));
        else if (all.length === 0 && hasFlushed) return undefined;
        else for (const { outbox } of alive) outbox.send().catch(() => undefined);
        // Rows that could not be read after a drop are read by the next `send()`.
        hasFlushed = waiting.length === 0;
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
}
