import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, temporaryFolder } from './running-server.js';

const START = fileURLToPath(new URL('../../demo/start.mjs', import.meta.url));
const BUILD = fileURLToPath(new URL('../../scripts/ensure-built.mjs', import.meta.url));
const folder = temporaryFolder();
const children: ChildProcess[] = [];
let started = 0;

// Built here once, not by several processes at the same time.
beforeAll(() => void execFileSync(process.execPath, [BUILD]), 120_000);

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  folder.remove();
});

interface Start {
  readonly env?: Record<string, string>;
  readonly parameters?: readonly string[];
  readonly node?: readonly string[];
}

/** Starts the demo; by default on a free port, with a database file of its own. */
function start({ env = {}, parameters = [], node = [] }: Start = {}) {
  const file = join(folder.path, `${(started += 1)}.sqlite`);
  const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...inherited } = process.env;
  const child = spawn(process.execPath, [...node, START, '--file', file, '--orders', '120', ...parameters], {
    env: { ...inherited, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const ended = (async () => {
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output, errors };
  })();
  return { child, ended };
}

describe('the tour', () => {
  let output: string;
  let code: number | null;
  let errors: string;

  beforeAll(async () => {
    ({ output, code, errors } = await start({ parameters: ['--tour'] }).ended);
  }, 60_000);

  /** The lines of a step, from its title on. */
  function step(number: number): string {
    const [, text = ''] = output.split(new RegExp(`^ ?${number}  (?=\\S)`, 'm'));
    return text.split(/^ ?\d+ {2}(?=\S)/m)[0] as string;
  }

  test('ends with status 0', () => {
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toContain('The tour is over: 22 requests');
  });

  test('fits 100 columns and has no colour outside a terminal', () => {
    expect(output.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(output).not.toContain('\u001b');
  });

  test('shows a phantom that becomes a record by POST', () => {
    expect(step(1)).toMatch(/^record {4}phantom · id -1, temporary$/m);
    expect(step(1)).not.toContain('request');
    expect(step(2)).toMatch(/^request {3}POST \/api\/tasks$/m);
    expect(step(2)).toMatch(/^reply {5}201 Created, Location: \/api\/tasks\/3001$/m);
    expect(step(2)).toMatch(/^record {4}saved · id 3001 · clean$/m);
  });

  test('names the rule and the option of each part', () => {
    expect(step(3)).toMatch(/^ {10}GET +H13 +actionMethods$/m);
    expect(step(3)).toMatch(/^ {10}\/api\/tasks +§4 +url$/m);
    expect(step(3)).toMatch(/^ {10}\/7 +§4 rule 3 +appendId$/m);
    expect(step(3)).toMatch(/^ {10}Accept: application\/json +H15 +default$/m);
  });

  test('sends the whole row by PUT, with the edit', () => {
    expect(step(4)).toMatch(/^record {4}saved · id 7 · edited: title ".*" → ".*, with care"$/m);
    expect(step(5)).toMatch(/^request {3}PUT \/api\/tasks\/7$/m);
    expect(step(5)).toMatch(/edited {6}title\n.*as it came {2}id, done, .*\n.*undeclared {2}userId, teamId, origin/);
    expect(step(5)).toMatch(/^record {4}saved · id 7 · clean$/m);
  });

  test('refuses to overwrite changes of somebody else, and merges', () => {
    expect(step(6)).toMatch(/^ {10}.*If-Match: "[^"]+" +H15 +etags$/m);
    expect(step(6)).toMatch(/^reply {5}412 Precondition Failed$/m);
    expect(step(6)).toMatch(/^reply {5}200 OK$/m);
    expect(step(6)).toMatch(/^record {4}saved · id 7 · clean$/m);
  });

  test('loads a page of a store with sort and filter', () => {
    expect(step(7)).toMatch(/&sort=\[\{"property":"due","direction":"DESC"\}\] +§4 rule 6 +sortParam$/m);
    expect(step(7)).toMatch(/&filter=\[\{"property":"title","operator":"like", +H8 +filterParam$/m);
    expect(step(7)).toMatch(/^store {5}page 1 · 5 of 111 records$/m);
    expect(step(7).match(/^ +\d+ {2}\d{4}-\d\d-\d\d {2}priority \d {2}.*report$/gm)).toHaveLength(5);
  });

  test('syncs several changes, one of them refused, and sends that one again', () => {
    expect(step(8)).toMatch(/^reply {5}422 /m);
    expect(step(8)).toMatch(
      /^outcomes {2}create +3002 {2}saved\n +update +\d+ {2}saved\n +update +\d+ {2}refused {2}.*priority must be .*\n +destroy +\d+ {2}erased$/m,
    );
    expect(step(8)).toMatch(/^record {4}saved · id \d+ · edited: priority \d → 9\n {10}error: /m);
    // The row came with a list, without its ETag: it is read before it is written.
    expect(step(9).match(/^request {3}\w+/gm)).toEqual(['request   GET', 'request   PUT']);
    expect(step(9)).toMatch(/^ +If-Match: "/m);
    expect(step(9)).toMatch(/^outcomes {2}update +\d+ {2}saved$/m);
  });

  test('saves an order with its lines, the order first', () => {
    expect(step(11).match(/^request {3}\w+ \S+/gm)).toEqual([
      'request   POST /api/orders',
      'request   POST /api/lines',
      'request   POST /api/lines',
    ]);
    expect(step(11)).toMatch(/^lines {5}order 121 {2}1 × Oak desk, 480.00 each\n {10}order 121 {2}1 × Gift wrap/m);
  });

  test('shows a tree, and saves a move in it', () => {
    expect(step(12).match(/^request {3}\w+ \S+/gm)).toEqual([
      'request   GET /api/categories',
      'request   PUT /api/categories/14',
    ]);
    expect(step(12)).toMatch(/^tree {6}- Decoration\n {14}Clocks\n {14}Frames\n {12}- Lamps\n {16}Outdoor lamps$/m);
  });

  test('erases by DELETE, and refuses dangerous requests', () => {
    expect(step(10)).toMatch(/^request {3}DELETE \/api\/tasks\/3001$/m);
    expect(step(10)).toMatch(/^reply {5}204 No Content$/m);
    expect(step(10)).toMatch(/^record {4}erased · id 3001$/m);
    expect(step(13).match(/^error {5}AddressError, code 'address'$/gm)).toHaveLength(2);
  });
});

test('colours the tour if the terminal supports colours', async () => {
  // Colours are forced, because a test has no terminal; output without a terminal is tested above.
  const tty = "data:text/javascript,process.stdout.isTTY=true;process.stdout.hasColors=()=>process.env.NO_COLOR!=='1'";
  const coloured = await start({ parameters: ['--tour'], node: ['--import', tty] }).ended;
  expect(coloured.output).toContain('\u001b[32m201 Created');
  const plain = await start({ parameters: ['--tour'], env: { NO_COLOR: '1' }, node: ['--import', tty] }).ended;
  expect(plain.output).not.toContain('\u001b[32m');
}, 60_000);

test('ends the few lines of a start with the address, in CI too', async () => {
  const { code, output, errors } = await start({ env: { CI: 'true' } }).ended;
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  const lines = output.trimEnd().split('\n');
  expect(lines.length).toBeLessThan(6);
  expect(lines.at(-1)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(output).toContain('npm run tour');
}, 60_000);

test('serves the page until it is interrupted', async () => {
  const { child, ended } = start();
  let address = '';
  for await (const line of createInterface({ input: child.stdout })) {
    address = /^http:\S+$/.exec(line)?.[0] ?? '';
    if (address) break;
  }
  const page = await fetch(address);
  const [, script = ''] = /<script type="module" crossorigin src="([^"]+)">/.exec(await page.text()) ?? [];
  expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect((await fetch(new URL(script, address))).headers.get('Content-Type')).toContain('text/javascript');
  expect((await fetch(new URL('/api/tasks/3000', address))).status).toBe(200);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, errors: '' });
}, 60_000);

describe('a start that fails prints the reason in one line', () => {
  async function failure(options: Start): Promise<string> {
    const { code, output, errors } = await start(options).ended;
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(/^[^\n]+\n$/);
    return errors;
  }

  test('a port in use', async () => {
    const other = await startServer({ rows: 1 });
    const { port } = new URL(other.url);
    expect(await failure({ env: { PORT: port } })).toMatch(`Port ${port} of 127.0.0.1 is in use`);
    expect(await failure({ parameters: ['--port', port] })).toMatch('npm start -- --port');
    await other.stop();
  }, 60_000);

  test('an invalid port', async () => {
    expect(await failure({ env: { PORT: 'http' } })).toMatch("from 0 to 65535, not 'http'");
    expect(await failure({ parameters: ['--prot', '1'] })).toMatch("Unknown option '--prot'");
  }, 60_000);

  test('a database that cannot be written', async () => {
    const file = join(folder.path, 'no-database');
    writeFileSync(file, 'a text, long enough to be taken for the head of a database file '.repeat(20));
    expect(await failure({ parameters: ['--file', file] })).toMatch(/^Cannot open the database .*no-database: /);
    mkdirSync(join(folder.path, 'directory'));
    expect(await failure({ parameters: ['--file', join(folder.path, 'directory')] })).toMatch('it is not a file');
    const nowhere = join(folder.path, 'nowhere', 'demo.sqlite');
    expect(await failure({ parameters: ['--file', nowhere] })).toMatch('its folder does not exist');
  }, 60_000);

  test('a Node that is too old', async () => {
    for (const version of ['12.22.12', '18.20.8', '20.18.3']) {
      const pretend = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;
      const line = await failure({ node: ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`] });
      expect(line).toBe(`The demo needs Node 20.19 or later; this is Node ${version}\n`);
    }
  }, 60_000);

  test('the check of the version runs on an old Node', async () => {
    const source = readFileSync(START, 'utf8');
    const asItIs = await transform(source, { target: 'esnext' });
    const forOld = await transform(source, { target: 'node12.20', supported: { 'import-meta': true } });
    expect(forOld.code).toBe(asItIs.code);
    expect(source).not.toMatch(/^import /m);
  });
});
