/**
 * `npm run test:faults -- [--seed N | --seeds A-B] [--steps N] [--only NAME] [--json FILE]`: checks that no write is lost, duplicated or
 * misdirected, whatever the network and the server do. `--only addresses [--cases N | --case NUMBER]` runs a random check of `cases/`
 * instead, which needs no network.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Campaign, type CampaignResult } from './campaign.js';
import { checks } from './cases/checks.js';
import { type CheckResult, runCheck } from './cases/random-check.js';
import { type Findings, joinFindings, kindsOfFindings } from './findings.js';
import { habits, topics } from './hostile/kinds.js';
import type { HostileResult } from './hostile/main.js';
import { runHostile } from './hostile/process.js';
import { bundle, type Programs } from './processes.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    steps: { type: 'string', default: '2000' },
    clients: { type: 'string', default: '4' },
    /** Share of the requests that meet a fault, at the worst times. */
    rate: { type: 'string', default: '0.6' },
    /** Steps of a client between two kills, on average; 0: no kills. */
    'kill-every': { type: 'string', default: '250' },
    /** Safeguards that are left out on purpose, to see the campaign fail: idempotency, etags, retry. */
    without: { type: 'string', multiple: true, default: [] },
    /** Runs only the hostile server with these of its topics and habits (`usual`: with none of them), and these random checks. */
    only: { type: 'string', multiple: true, default: [] },
    /** Random cases of each check that `--only` names. */
    cases: { type: 'string', default: '1000000' },
    /** Runs one case alone, by its number. */
    case: { type: 'string' },
    json: { type: 'string' },
    /** Keeps databases, journals and logs of requests. */
    keep: { type: 'boolean', default: false },
  },
});

/** Findings of each kind that are printed. */
const SHOWN = 8;

const namesOfFindings: Readonly<Partial<Record<keyof Findings, string>>> = { unasked: 'changed unasked' };
const counted = (findings: Findings) =>
  kindsOfFindings.map((kind) => `${findings[kind].length} ${namesOfFindings[kind] ?? kind}`).join(', ');
const hasFailed = (findings: Findings) => kindsOfFindings.some((kind) => findings[kind].length > 0);
/** Share of the requests that break at the hostile server: it has other ways, too. */
const HOSTILE_RATE = 0.25;

function seedsOf(): number[] {
  const [first = 1, last = first] = (values.seeds ?? values.seed ?? '1').split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

/** The command that repeats a run. */
function commandFor(seed: number): string {
  const given = process.argv
    .slice(2)
    .join(' ')
    .replace(/--(seeds?|json)[ =]\S+ ?/g, '');
  return `npm run test:faults -- --seed ${seed} ${given}`.trim();
}

/** Results of one seed of the campaigns. */
interface SeedResult {
  readonly seed: number;
  readonly findings: Findings;
  readonly seconds: number;
  /** Result with clients that are killed, behind a network that fails. */
  readonly campaign: CampaignResult | undefined;
  /** Result with one user whose server answers in every way there is. */
  readonly hostile: HostileResult;
}

async function runSeed(seed: number, programs: Programs, folder: string): Promise<SeedResult> {
  const start = performance.now();
  const rate = Number(values.rate);
  const steps = Number(values.steps);
  mkdirSync(folder, { recursive: true });
  const options = { seed, steps, rate: rate * HOSTILE_RATE, only: chosenTopics, verbose: values.keep };
  const hostile = runHostile(programs.hostile, options, path.join(folder, 'hostile.log'));
  const campaign =
    chosenTopics.length === 0
      ? new Campaign({
          ...{ seed, programs, folder, steps, rate, without: values.without },
          ...{ clients: Number(values.clients), killEvery: Number(values['kill-every']) },
        }).run()
      : undefined;
  const results = [await campaign, await hostile] as const;
  const findings = joinFindings(results.flatMap((each) => each?.findings ?? []));
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  return { seed, findings, seconds, campaign: results[0], hostile: results[1] };
}

function report({ seed, findings, seconds, campaign, hostile }: SeedResult, folder: string): void {
  const failed = hasFailed(findings);
  console.log(
    `${failed ? 'FAILED' : 'ok    '} seed ${seed}: ${counted(findings)}; ${workOf(campaign, hostile)}; ${seconds} s`,
  );
  if (!failed) return;
  for (const kind of kindsOfFindings) {
    for (const what of findings[kind].slice(0, SHOWN)) console.log(`  ${kind}: ${what.split('\n', 4).join('\n    ')}`);
    if (findings[kind].length > SHOWN) console.log(`  ${kind}: and ${findings[kind].length - SHOWN} more`);
  }
  console.log(`  again: ${commandFor(seed)}`);
  if (values.keep) console.log(`  kept: ${folder}`);
}

function workOf(campaign: CampaignResult | undefined, hostile: HostileResult): string {
  const odd = `${hostile.steps} steps at the hostile server, ${hostile.requests} requests`;
  if (!campaign) return odd;
  const { steps, requests, commits, kills, crashes, faults } = campaign;
  const faulty = requests - (faults['none'] ?? 0);
  return `${steps} steps, ${requests} requests (${faulty} with faults), ${commits} commits, ${kills} kills, ${crashes} crashes; ${odd}`;
}

function reportCheck({ check, seed, cases, seconds, findings }: CheckResult): void {
  const failed = findings.length > 0;
  console.log(
    `${failed ? 'FAILED' : 'ok    '} ${check} seed ${seed}: ${cases} cases, ${findings.length} findings; ${seconds} s`,
  );
  for (const { what, again } of findings.slice(0, SHOWN)) {
    console.log(`  ${what.split('\n', 4).join('\n    ')}`);
    console.log(`  again: ${again}`);
  }
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`'${text}' is no whole number`);
  return Number(text);
}

/** Runs the random checks that `--only` names, for one seed. */
function runChecks(seed: number): CheckResult[] {
  const { case: only } = values;
  const range = only === undefined ? { from: 0, count: whole(values.cases) } : { from: whole(only), count: 1 };
  return chosenChecks.map((check) => {
    const result = runCheck(check, { seed, ...range });
    reportCheck(result);
    return result;
  });
}

const known = [...topics, ...habits, ...checks.map(({ name }) => name), 'usual'];
const unknown = values.only.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`'${unknown}' is none of ${known.join(', ')}`);
const chosenChecks = checks.filter(({ name }) => values.only.includes(name));
const chosenTopics = values.only.filter((name) => chosenChecks.every((check) => check.name !== name));
const hasCampaigns = chosenTopics.length > 0 || chosenChecks.length === 0;
const folder = mkdtempSync(path.join(tmpdir(), 'repose-faults-'));
const results: (SeedResult | CheckResult)[] = [];
const save = () => {
  if (values.json) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
};
try {
  const programs = hasCampaigns ? await bundle(path.join(folder, 'programs')) : undefined;
  for (const seed of seedsOf()) {
    results.push(...runChecks(seed));
    if (programs) {
      const own = path.join(folder, `seed-${seed}`);
      const result = await runSeed(seed, programs, own);
      results.push(result);
      report(result, own);
      if (!values.keep) rmSync(own, { recursive: true });
    }
    save();
  }
} finally {
  if (!values.keep) rmSync(folder, { recursive: true });
}
const failed = results.filter((result) =>
  'check' in result ? result.findings.length > 0 : hasFailed(result.findings),
).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
// The run has ended, even if a proxy still waits for something.
process.exit(failed > 0 || results.length === 0 ? 1 : 0);
