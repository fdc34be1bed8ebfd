import { type Findings, noFindings } from '../findings.js';
import { Tracker } from '../tracker.js';
import { Application } from './application.js';
import { Decisions } from './decisions.js';
import { type Habit, habits, type Topic, topics } from './kinds.js';
import { Ledger } from './ledger.js';
import { Script } from './script.js';
import { HostileServer } from './server.js';
import { HostileUser } from './user.js';

/** Options that the program is started with. */
export interface HostileOptions {
  readonly seed: number;
  readonly steps: number;
  /** Share of the requests that break. */
  readonly rate: number;
  /** Topics and habits to run; all if there are none. */
  readonly only: readonly string[];
  /** Whether everything that happens is printed. */
  readonly verbose: boolean;
}

/** Report of the program when it has ended. */
export interface HostileResult {
  readonly findings: Findings;
  readonly steps: number;
  readonly requests: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** Milliseconds in which a step must end. */
const PATIENCE = 20_000;

const { seed, steps, rate, only, verbose } = JSON.parse(process.argv[2] as string) as HostileOptions;
const chosen = <T extends string>(names: readonly T[]) =>
  new Set(names.filter((name) => only.length === 0 || only.includes(name)));
const about = { topics: chosen<Topic>(topics), habits: chosen<Habit>(habits) };
const note = (line: string) => {
  if (verbose) console.log(line);
};

const findings = noFindings();
const ledger = new Ledger(findings);
const tracker = new Tracker();
const server = new HostileServer({
  ...{ seed, rate, ledger, note, topics: about.topics },
  arrived: (number) => script.editMeanwhile(number),
});
const url = await server.listen();
const application = await Application.start(url, (problem) => findings.odd.push(`outbox: ${problem.stack}`));
const editsSuccess = about.topics.has('success');
const user = new HostileUser({ application, server, ledger, tracker, note, editsSuccess });
const decisions = new Decisions({ user, server, application, topics: about.topics });
const script = new Script({ seed, habits: about.habits, user, decisions, server, application, tracker, findings });

/** Waits for work that must end in time. */
async function inTime(what: string, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end`)), PATIENCE);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

process.on('unhandledRejection', (error) => {
  findings.odd.push(`unhandled: ${(error as Error)?.stack ?? error}`);
});
try {
  for (let number = 1; number <= steps; number += 1) await inTime(`step ${number}`, script.step(number));
  await inTime('the end', script.drain());
  await application.outbox.close();
} catch (error) {
  findings.unsettled.push(`${(error as Error).stack}`);
}
await server.close();
const result: HostileResult = { findings, steps, requests: server.count, counts: tracker.counts };
if (process.send) process.send(result, () => process.disconnect());
else console.log(JSON.stringify(result, undefined, 2));
