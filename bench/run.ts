/** `npm run bench -- NAME... [--json FILE] [--quick] [--only SUBJECT,...]`: medians of alternating runs, as ratios to a plain floor of the same run. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { edit } from './edit.js';
import { floor } from './floor.js';
import type { Row } from './harness.js';
import { ingest } from './ingest.js';
import type { Kit } from './kit.js';
import { memory } from './memory.js';
import { measureOutbox, outbox } from './outbox.js';
import { peers, peersAreInstalled } from './peers/index.js';
import { query } from './query.js';
import { repose } from './repose.js';
import { screen } from './screen.js';
import { size } from './size.js';
import { stream } from './stream.js';
import { readStream } from './stream-reader.js';
import { serveStream } from './stream-server.js';
import { measureSync, sync } from './sync.js';
import { serveSync } from './sync-server.js';
import { table } from './table.js';
import { tree } from './tree.js';
import { url } from './url.js';

/** Workloads that peers can do too. */
const raced: Record<string, (kits: readonly Kit[], quick: boolean) => Promise<Row[]>> = { ingest, query, edit };
const known = ['url', ...Object.keys(raced), 'tree', 'stream', 'sync', 'outbox', 'memory', 'size', 'screen'];

/**
 * Starts this file in a process of its own, in another role. Memory is collected before each run. V8 discards compiled code that
 * did not run between several collections, unless a flag forbids it.
 */
function spawn(role: readonly string[]): ChildProcess {
  const execArgv = [
    ...process.execArgv.filter((arg) => !arg.startsWith('--max-old')),
    '--max-old-space-size=8192',
    '--no-flush-bytecode',
  ];
  return fork(fileURLToPath(import.meta.url), ['--role', ...role], {
    execArgv,
    env: { ...process.env, NODE_ENV: 'production' },
  });
}

/** The roles of processes that the benchmark starts. */
async function play([role, ...rest]: readonly string[]): Promise<void> {
  const answer = (message: unknown) => process.send?.(message, () => process.exit());
  if (role === 'serve-stream') return serveStream();
  if (role === 'read-stream') return void answer(await readStream(rest[0] as string, rest[1] as string));
  if (role === 'serve-sync') return serveSync();
  if (role === 'sync') return void answer(await measureSync(rest[0] as string, rest[1] === 'quick'));
  if (role === 'outbox') return void answer(await measureOutbox(rest[0] as string, rest[1] === 'quick'));
  const [names = '', subject = '', quick] = rest;
  const rows: Row[] = [];
  const kit = subject === 'repose' ? repose : await peers[subject]?.();
  for (const name of names.split(',')) {
    if (name === 'url') rows.push(...(await url(quick === 'quick')));
    if (name === 'tree') rows.push(...(await tree(quick === 'quick')));
    if (name === 'memory') rows.push(...(await memory(quick === 'quick')));
    if (raced[name]) rows.push(...(await raced[name]([floor, kit as Kit], quick === 'quick')));
  }
  answer(rows);
}

/** Measures a subject and its floor in a process of their own. */
async function race(names: readonly string[], subject: string, quick: boolean): Promise<Row[]> {
  console.error(`${names.join(', ')}: ${subject} …`);
  const child = spawn(['race', names.join(), subject, quick ? 'quick' : '']);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${names.join(', ')}: ${subject} failed (${code})`);
  });
  const [rows] = (await Promise.race([once(child, 'message'), ended])) as [Row[]];
  return rows;
}

interface Options {
  readonly names: readonly string[];
  readonly json: string | undefined;
  readonly quick: boolean;
  /** The subjects that are measured beside the floor. */
  readonly subjects: readonly string[];
}

function readOptions(): Options {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'string' }, quick: { type: 'boolean' }, only: { type: 'string' } },
  });
  const check = (what: string, given: readonly string[], all: readonly string[]) => {
    const unknown = given.find((name) => !all.includes(name));
    if (unknown !== undefined) throw new Error(`There is no ${what} '${unknown}'; known: ${all.join(', ')}.`);
  };
  const { json, quick = false, only = '' } = values;
  const all = ['repose', ...Object.keys(peers)];
  check('workload', positionals, known);
  check('subject', only ? only.split(',') : [], all);
  const wanted = only ? only.split(',') : all;
  const installed = peersAreInstalled();
  if (!installed && wanted.some((name) => name !== 'repose')) {
    console.error('Without peers; they are installed by: npm ci --prefix bench/peers');
  }
  const subjects = installed ? wanted : wanted.filter((name) => name === 'repose');
  return { names: positionals.length ? positionals : known, json, quick, subjects };
}

async function run({ names, json, quick, subjects }: Options): Promise<void> {
  const rows: Row[] = [];
  const failures: string[] = [];
  const add = async (work: Promise<Row[]>) => {
    try {
      // Each process has a floor of its own, to which its ratios refer; one of these floors is shown.
      const has = (row: Row) =>
        rows.some((each) =>
          ['workload', 'case', 'n', 'subject'].every((key) => each[key as keyof Row] === row[key as keyof Row]),
        );
      rows.push(...(await work).filter((row) => !has(row)));
    } catch (error) {
      console.error((error as Error).message);
      failures.push((error as Error).message);
    }
  };
  for (const name of names) {
    if (name === 'url' || name === 'tree' || name === 'memory') await add(race([name], 'repose', quick));
    if (name === 'stream') await add(stream(spawn, quick));
    if (name === 'sync') await add(sync(spawn, quick));
    if (name === 'outbox') await add(outbox(spawn, quick));
    if (name === 'size') await add(size(subjects));
    if (name === 'screen') await add(screen(quick));
  }
  const races = names.filter((name) => Object.hasOwn(raced, name));
  // Starting processes takes most of the time of a quick run.
  for (const group of quick && races.length ? [races] : races.map((name) => [name])) {
    for (const subject of subjects) await add(race(group, subject, quick));
  }
  rows.sort((a, b) => known.indexOf(a.workload) - known.indexOf(b.workload));
  console.log(table(rows));
  if (json) await writeFile(json, `${JSON.stringify(rows, undefined, 2)}\n`);
  for (const failure of failures) console.error(`FAILED ${failure}`);
  if (failures.length || rows.length === 0) process.exitCode = 1;
}

try {
  if (process.argv[2] === '--role') await play(process.argv.slice(3));
  else await run(readOptions());
} catch (error) {
  console.error(process.argv[2] === '--role' ? error : (error as Error).message);
  process.exit(2);
}
