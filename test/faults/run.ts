/** `npm run test:faults -- [--seed N | --seeds A-B] [--steps N] [--json FILE]`: writes that are never lost, doubled or sent astray, whatever the network does. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Campaign, type CampaignResult } from './campaign.js';
import type { Findings } from './check.js';
import { bundle } from './processes.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    steps: { type: 'string', default: '2000' },
    clients: { type: 'string', default: '4' },
    /** Share of the requests that something happens to, at the worst of times. */
    rate: { type: 'string', default: '0.6' },
    /** Steps of a client between two kills, on average; 0: no kills. */
    'kill-every': { type: 'string', default: '250' },
    /** What is left out on purpose, to see the campaign fail: idempotency, conditional, retry. */
    without: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    /** Keeps databases, journals and logs of requests. */
    keep: { type: 'boolean', default: false },
  },
});

/** Findings of each kind that are printed. */
const SHOWN = 8;

const kinds: readonly (keyof Findings)[] = ['lost', 'doubled', 'stray', 'unsettled', 'odd'];
const counted = (findings: Findings) => kinds.map((kind) => `${findings[kind].length} ${kind}`).join(', ');

function seedsOf(): number[] {
  const [first = 1, last = first] = (values.seeds ?? values.seed ?? '1').split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

/** The command that does it again. */
function commandFor(seed: number): string {
  const given = process.argv
    .slice(2)
    .join(' ')
    .replace(/--(seeds?|json)[ =]\S+ ?/g, '');
  return `npm run test:faults -- --seed ${seed} ${given}`.trim();
}

function report(result: CampaignResult, folder: string): void {
  const { seed, seconds, steps, requests, commits, kills, crashes, findings, faults } = result;
  const failed = kinds.some((kind) => findings[kind].length > 0);
  const faulty = requests - (faults['none'] ?? 0);
  const work = `${steps} steps, ${requests} requests (${faulty} with faults), ${commits} commits, ${kills} kills, ${crashes} crashes`;
  console.log(`${failed ? 'FAILED' : 'ok    '} seed ${seed}: ${counted(findings)}; ${work}; ${seconds} s`);
  if (!failed) return;
  for (const kind of kinds) {
    for (const what of findings[kind].slice(0, SHOWN)) console.log(`  ${kind}: ${what.split('\n', 4).join('\n    ')}`);
    if (findings[kind].length > SHOWN) console.log(`  ${kind}: and ${findings[kind].length - SHOWN} more`);
  }
  console.log(`  again: ${commandFor(seed)}`);
  if (values.keep) console.log(`  kept: ${folder}`);
}

const folder = mkdtempSync(path.join(tmpdir(), 'repose-faults-'));
const results: CampaignResult[] = [];
try {
  const programs = await bundle(path.join(folder, 'programs'));
  for (const seed of seedsOf()) {
    const own = path.join(folder, `seed-${seed}`);
    const result = await new Campaign({
      ...{ seed, programs, folder: own, without: values.without },
      ...{ steps: Number(values.steps), clients: Number(values.clients) },
      ...{ rate: Number(values.rate), killEvery: Number(values['kill-every']) },
    }).run();
    results.push(result);
    report(result, own);
    if (values.json) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
    if (!values.keep) rmSync(own, { recursive: true });
  }
} finally {
  if (!values.keep) rmSync(folder, { recursive: true });
}
const failed = results.filter(({ findings }) => kinds.some((kind) => findings[kind].length > 0)).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
// Whatever a proxy may still be waiting for, it is over.
process.exit(failed > 0 || results.length === 0 ? 1 : 0);
