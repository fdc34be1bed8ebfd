import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createDemoServer } from '../../demo/server/index.js';
import { readAudit, startAudit } from './audit.js';
import { Check } from './check.js';
import type { ClientOptions, SelfKill } from './client.js';
import { FaultProxy, type Seen } from './fault-proxy.js';
import type { Findings } from './findings.js';
import { type Entry, Journal } from './journal.js';
import { type Programs, ServerProcess, startClient } from './processes.js';
import { Random } from './random.js';

/** Options of one campaign. */
export interface CampaignOptions {
  readonly seed: number;
  /** Number of steps of all clients together. */
  readonly steps: number;
  readonly clients: number;
  /** Share of the requests that meet a fault, at the worst times. */
  readonly rate: number;
  /** Steps of a client between two kills, on average; 0: no kills. */
  readonly killEvery: number;
  /** Safeguards that are left out on purpose, to see the campaign fail. */
  readonly without: readonly string[];
  readonly programs: Programs;
  /** Folder for the database, the journals and the log of requests. */
  readonly folder: string;
}

/** Result of a campaign. */
export interface CampaignResult {
  readonly seed: number;
  readonly steps: number;
  readonly seconds: number;
  readonly requests: number;
  readonly commits: number;
  readonly kills: number;
  readonly crashes: number;
  readonly operations: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly findings: Findings;
}

const ROWS = 120;
/** Milliseconds after which a client aborts a request. */
const TIMEOUT = 800;
/** Milliseconds within which a client must end by itself. */
const PATIENCE = 60_000;

/** Runs clients against the server through faults, and compares their results with the database. */
export class Campaign {
  private readonly file: string;
  private readonly server: ServerProcess;
  private readonly proxies: FaultProxy[] = [];
  private readonly children: (ChildProcess | undefined)[] = [];
  /** Requests until the client is killed at one, and in which phase. */
  private readonly killAt: ({ left: number; phase: 'before' | 'after' } | undefined)[] = [];
  private readonly faults: Record<string, number> = {};
  private readonly late: string[] = [];
  private kills = 0;
  private crashes = 0;
  private crashing: Promise<void> | undefined = undefined;
  private requests = 0;
  private finishing = false;

  constructor(private readonly options: CampaignOptions) {
    mkdirSync(options.folder, { recursive: true });
    this.file = path.join(options.folder, 'database.sqlite');
    this.server = new ServerProcess(options.programs.server, this.file, ROWS);
  }

  async run(): Promise<CampaignResult> {
    const start = performance.now();
    const { seed, clients, steps, folder, rate } = this.options;
    await createDemoServer({ file: this.file, rows: ROWS, seed }).close();
    startAudit(this.file);
    await this.server.start();
    const log = createWriteStream(path.join(folder, 'requests.log'));
    try {
      const numbers = Array.from({ length: clients }, (_, at) => at + 1);
      const urls = await Promise.all(
        numbers.map((client) => {
          const proxy = new FaultProxy({
            ...{ seed, client, rate, timeout: TIMEOUT, server: this.server },
            arrived: (seen, phase) => this.arrived(seen, phase),
            ended: (seen) => {
              this.faults[seen.fault] = (this.faults[seen.fault] ?? 0) + 1;
              log.write(lineOf(seen));
            },
          });
          this.proxies.push(proxy);
          return proxy.listen();
        }),
      );
      let working = clients;
      const waiting: (() => void)[] = [];
      // When all clients have done their steps, the faults stop, so that pending writes can drain.
      const done = () => {
        working -= 1;
        if (working > 0) return;
        this.finishing = true;
        for (const proxy of this.proxies) proxy.quiet = true;
        for (const go of waiting) go();
      };
      await Promise.all(
        numbers.map((client, at) => {
          const finished = new Promise<void>((resolve) => waiting.push(resolve));
          return this.runClient(client, urls[at] as string, done, finished);
        }),
      );
      await this.crashing;
      for (const proxy of this.proxies) await proxy.settle();
      await this.server.stop();
    } finally {
      for (const child of this.children) child?.kill('SIGKILL');
      for (const proxy of this.proxies) await proxy.close();
      await this.server.stop();
      await new Promise((resolve) => log.end(resolve));
    }
    const journals = Array.from({ length: clients }, (_, at) => this.journal(at + 1).read());
    const { commits, rows } = readAudit(this.file);
    const { findings } = new Check(journals, commits, rows);
    findings.stray.push(...this.proxies.flatMap(({ outside }) => outside.map((each) => `outside: ${each}`)));
    findings.unsettled.push(...this.late);
    return {
      ...{ seed, steps, seconds: Math.round((performance.now() - start) / 100) / 10 },
      ...{ requests: this.requests, commits: commits.length, kills: this.kills, crashes: this.crashes },
      ...{ operations: operationsOf(journals), faults: this.faults, findings },
    };
  }

  /** Keeps a client alive through its kills until it has ended by itself. */
  private async runClient(client: number, url: string, done: () => void, finished: Promise<void>): Promise<void> {
    const { seed, clients, steps, without, killEvery, programs, folder } = this.options;
    const journal = this.journal(client);
    let reported = false;
    for (let life = 1; ; life += 1) {
      const random = new Random(seed, 'life', client, life);
      const last = Math.ceil(steps / clients);
      const step = journal.lastStep() + random.integer(1, killEvery * 2);
      const how = killEvery > 0 && step < last ? random.pick(['step', 'request', 'stored'] as const) : 'not';
      const self: Partial<Record<typeof how, SelfKill>> = {
        step: { step, turns: random.integer(0, 12) },
        stored: { stored: random.integer(1, 6) },
      };
      const phase = random.pick(['before', 'after'] as const);
      this.killAt[client] = how === 'request' ? { left: random.integer(1, killEvery * 2), phase } : undefined;
      const options: ClientOptions = {
        ...{ seed, client, clients, steps: last, url, timeout: TIMEOUT, without, journal: journal.file },
        ...{ outbox: path.join(folder, `outbox-${client}.log`), killAt: self[how] },
      };
      const child = startClient(programs.client, options, path.join(folder, `client-${client}.out`));
      this.children[client] = child;
      const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
      child.on('message', () => {
        if (!reported) done();
        reported = true;
        this.killAt[client] = undefined;
        void finished.then(() => child.connected && child.send('finish'));
      });
      const timer = finished.then(() => setTimeout(() => child.kill('SIGABRT'), PATIENCE));
      const [code, signal] = await ended;
      void timer.then(clearTimeout);
      this.children[client] = undefined;
      if (signal === 'SIGKILL') {
        this.kills += 1;
        continue;
      }
      if (code !== 0) this.late.push(`client ${client} ended with ${code ?? signal}`);
      if (!reported) done();
      return;
    }
  }

  private arrived({ client }: Seen, phase: 'before' | 'after'): void {
    const { seed, killEvery } = this.options;
    if (phase === 'before') {
      this.requests += 1;
      // The server is killed, too, from time to time.
      const due = killEvery > 0 && !this.finishing && !this.crashing;
      if (due && new Random(seed, 'crash', this.requests).chance(1 / (killEvery * 10))) {
        this.crashes += 1;
        this.crashing = this.server.crash().finally(() => (this.crashing = undefined));
      }
    }
    const kill = this.killAt[client];
    if (kill?.phase !== phase || --kill.left > 0) return;
    this.killAt[client] = undefined;
    this.children[client]?.kill('SIGKILL');
  }

  private journal(client: number): Journal {
    return new Journal(path.join(this.options.folder, `client-${client}.jsonl`));
  }
}

function lineOf({ client, number, method, url, headers, fault, status }: Seen): string {
  const key = headers['idempotency-key'];
  const tag = headers['if-match'];
  return `${client} ${number} ${method} ${url} ${fault} ${status ?? '-'}${key ? ` key=${key}` : ''}${tag ? ` match=${tag}` : ''}\n`;
}

/** Counts of operations and answers of all clients; those of a killed client are counted from its journal. */
function operationsOf(journals: readonly (readonly Entry[])[]): Record<string, number> {
  const sum: Record<string, number> = {};
  const add = (name: string, count = 1) => (sum[name] = (sum[name] ?? 0) + count);
  for (const entry of journals.flat()) {
    if (entry.t === 'want' || entry.t === 'acked' || entry.t === 'stored') add(`${entry.t}: ${entry.op}`);
    if (entry.t === 'step' || entry.t === 'dropped') add(entry.t);
    if (entry.t === 'end')
      for (const [name, count] of Object.entries(entry.counts)) if (/^failed|^conf/.test(name)) add(name, count);
  }
  return sum;
}
