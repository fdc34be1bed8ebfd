/**
 * `npm run test:outbox-tabs -- [--seeds A-B] [--steps N] [--tabs N]`: pages in Chromium over one database, which are closed, frozen and
 * opened while the network fails.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { Random } from '../faults/random.js';
import { launchChromium } from '../helpers/chromium.js';
import { bundlePage } from './bundle-page.js';
import type { CampaignTools } from './outbox-campaign-page.js';

declare const tools: CampaignTools;
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1-5' },
    steps: { type: 'string', default: '300' },
    tabs: { type: 'string', default: '3' },
  },
});
type Row = Record<string, unknown> & { id: number; mark: string };

/** A server that loses requests and answers while `isFaulty` is set. */
class CampaignServer {
  readonly rows = new Map<number, Row>();
  readonly created: string[] = [];
  readonly seen = new Set<string>();
  isFaulty = true;
  requests = 0;
  private readonly answers = new Map<string, { text: string; id: number }>();
  private readonly versions = new Map<number, number>();
  private nextId = 1;

  constructor(
    private readonly random: Random,
    private readonly script: string,
  ) {}

  handle(request: IncomingMessage, response: ServerResponse): void {
    let text = '';
    request.on('data', (part: Buffer) => {
      text += String(part);
    });
    request.on('end', () => this.answer(request, response, text));
  }

  private answer(request: IncomingMessage, response: ServerResponse, text: string): void {
    const { method = 'GET', url = '/' } = request;
    const send = (status: number, body?: unknown, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(body === undefined ? undefined : JSON.stringify(body));
    if (url === '/')
      return void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><script type="module" src="/page.js"></script>');
    if (url === '/page.js') return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(this.script);
    if (!url.startsWith('/tasks')) return void response.writeHead(404).end();
    if (method === 'GET' && url.split('?')[0] === '/tasks') return void send(200, [...this.rows.values()]);
    this.requests += 1;
    const dice = this.isFaulty ? this.random.integer(0, 9) : 9;
    if (dice === 0) return void request.socket.destroy();
    const answer = this.serve(method, Number(url.split(/[/?]/)[2]), text, request);
    const deliver = () =>
      dice === 1 ? void request.socket.destroy() : void send(answer.status, answer.body, answer.headers);
    setTimeout(deliver, this.isFaulty ? this.random.integer(0, 30) : 0);
  }

  private serve(
    method: string,
    id: number,
    text: string,
    { headers }: IncomingMessage,
  ): { status: number; body?: unknown; headers?: Record<string, string> } {
    const body = text ? (JSON.parse(text) as Record<string, unknown>) : {};
    const tag = (of: number) => ({ etag: `"${of}-${this.versions.get(of)}"` });
    const note = () => {
      for (const value of Object.values(body)) if (typeof value === 'string') this.seen.add(value);
    };
    if (method === 'POST') {
      const key = String(headers['idempotency-key'] ?? '');
      const known = this.answers.get(key);
      if (known && known.text !== text) return { status: 422, body: { title: 'another body under this key' } };
      if (known)
        return { status: 201, body: this.rows.get(known.id) ?? { ...body, id: known.id }, headers: tag(known.id) };
      const created = this.nextId++;
      note();
      this.rows.set(created, { ...body, id: created } as Row);
      this.versions.set(created, 1);
      this.created.push(String(body['mark']));
      if (key) this.answers.set(key, { text, id: created });
      return { status: 201, body: this.rows.get(created), headers: tag(created) };
    }
    const row = this.rows.get(id);
    if (!row) return { status: 404, body: { title: 'gone' } };
    if (method === 'GET') return { status: 200, body: row, headers: tag(id) };
    if (headers['if-match'] && headers['if-match'] !== tag(id).etag) return { status: 412, body: { title: 'changed' } };
    if (method === 'DELETE') {
      this.rows.delete(id);
      return { status: 204 };
    }
    note();
    this.rows.set(id, { ...row, ...body, id } as Row);
    this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
    return { status: 200, body: this.rows.get(id), headers: tag(id) };
  }
}

/** A page of the application. */
interface Tab {
  readonly page: Page;
  readonly session: CDPSession;
  readonly tab: number;
  isFrozen: boolean;
}

/**
 * Lets a page run no script, or go on, as a browser does with pages in the background. `Page.setWebLifecycleState` would not do: it
 * freezes no page that counts as visible, and all pages here do.
 */
async function setFrozen(tab: Tab, isFrozen: boolean): Promise<void> {
  tab.isFrozen = isFrozen;
  if (!isFrozen) return void (await tab.session.send('Debugger.disable'));
  await tab.session.send('Debugger.enable');
  await tab.session.send('Debugger.pause');
}

interface Save {
  readonly tab: number;
  readonly mark: string;
  readonly field: string;
  readonly value: string;
  told: string;
}

async function campaign(
  seed: number,
  context: BrowserContext,
  script: string,
): Promise<{ findings: string[]; work: string }> {
  const random = new Random(seed, 'browser');
  const served = new CampaignServer(random, script);
  const server = createServer((request, response) => served.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
  const pages: Tab[] = [];
  const done = { opened: 0, closed: 0, frozen: 0 };
  const saves: Save[] = [];
  /** Values that were typed: whose they are, and the number of saves before. */
  const typed = new Map<string, { readonly tab: number; readonly mark: string; readonly at: number }>();
  /** Values of each field of each record, in the order in which they were typed or saved. */
  const history = new Map<string, string[]>();
  const erased = new Set<string>();
  let next = 1;
  const open = async () => {
    // A frozen page may hold the database, and the new page waits for it.
    for (const tab of pages) if (tab.isFrozen) await setFrozen(tab, false);
    done.opened += 1;
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForFunction(() => 'tools' in globalThis);
    pages.push({ page, session: await context.newCDPSession(page), tab: next++, isFrozen: false });
  };
  const note = (save: Save, running: Promise<string>) => {
    saves.push(save);
    // A page that is closed tells nothing.
    running.then(
      (told) => {
        save.told = told;
      },
      () => undefined,
    );
  };
  const step = async () => {
    const dice = random.integer(0, 99);
    if (pages.length === 0 || (dice < 4 && pages.length < Number(values.tabs))) return await open();
    const one = random.pick(pages);
    const { page, tab } = one;
    if (dice < 7) {
      done.closed += 1;
      pages.splice(pages.indexOf(one), 1);
      return await page.close();
    }
    if (dice < 12 || one.isFrozen) {
      if (!one.isFrozen) done.frozen += 1;
      return await setFrozen(one, !one.isFrozen);
    }
    const marks = await page.evaluate(() => tools.marks());
    const value = `v${next++}`;
    if (dice < 25 || marks.length === 0) {
      const mark = `m${next++}`;
      return note(
        { tab, mark, field: 'title', value, told: '' },
        page.evaluate(([a, b]) => tools.create(a as string, b as string), [mark, value]),
      );
    }
    const mark = random.pick(marks) as string;
    if (dice < 30) {
      erased.add(mark);
      return void page.evaluate((of) => tools.erase(of), mark).catch(() => undefined);
    }
    const field = random.pick(['title', 'note'] as const);
    const place = `${mark}.${field}`;
    history.set(place, [...(history.get(place) ?? []), value]);
    if (dice < 40) typed.set(value, { tab, mark, at: saves.length });
    const edit = page.evaluate(([a, b, c, d]) => tools.edit(a as string, b as 'title', c as string, d as boolean), [
      mark,
      field,
      value,
      dice >= 40,
    ] as const);
    if (dice < 40) return void (await edit.catch(() => undefined));
    note({ tab, mark, field, value, told: '' }, edit);
  };
  for (let at = 0; at < Number(values.steps); at += 1) await step();
  served.isFaulty = false;
  for (const tab of pages) await setFrozen(tab, false);
  if (pages.length === 0) await open();
  const [{ page }] = pages as [(typeof pages)[number]];
  let size = -1;
  /** Values that the server has refused, because another tab had changed the row. */
  const refused = new Set<string>();
  for (let round = 0; round < 100 && size !== 0; round += 1) {
    const ended = await Promise.race([
      page.evaluate(async () => {
        await tools.flush();
        return await tools.dropFailed();
      }),
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 60_000).unref()),
    ]);
    size = await page.evaluate(() => tools.size());
    for (const value of ended ?? []) refused.add(value);
    if (!ended) {
      for (const { page: each } of pages) console.log(await each.evaluate(() => tools.dump()));
      return { findings: [`stuck: flush() does not end, ${size} writes stay`], work: '' };
    }
  }
  const findings = size === 0 ? [] : [`stuck: ${size} writes stay`];
  for (const mark of new Set(served.created)) {
    const count = served.created.filter((each) => each === mark).length;
    if (count > 1) findings.push(`doubled: ${mark} was created ${count} times`);
  }
  const isSaved = (value: string) => {
    const { tab, mark, at } = typed.get(value) ?? {};
    const isSavedLater = saves.slice(at).some((save) => save.tab === tab && save.mark === mark);
    return !/^v\d+$/.test(value) || isSavedLater || saves.some((save) => save.value === value);
  };
  for (const value of served.seen) if (!isSaved(value)) findings.push(`unasked: the server got ${value}`);
  for (const mark of new Set(saves.map((save) => save.mark))) {
    const row = [...served.rows.values()].find((each) => each.mark === mark);
    const isCreated = saves.some((save) => save.mark === mark && /^(sent|queued)/.test(save.told));
    if (!row && isCreated && !erased.has(mark)) findings.push(`lost: ${mark} was told as saved, and is not there`);
    for (const field of ['title', 'note'] as const) {
      const own = saves.find((save) => save.mark === mark && save.field === field && save.value === row?.[field]);
      const later =
        own &&
        saves
          .slice(saves.indexOf(own) + 1)
          .find(
            (save) =>
              save.tab === own.tab && save.mark === mark && save.field === field && /^(sent|queued)/.test(save.told),
          );
      // A value that waits is replaced by a newer one of any tab, which is the one that the server then refuses.
      const written = history.get(`${mark}.${field}`) ?? [];
      const isRefused = later && written.slice(written.indexOf(later.value)).some((value) => refused.has(value));
      if (own && later && !(later.told === 'queued' && isRefused)) {
        findings.push(`reordered: ${mark}.${field} is ${own.value}, and the same tab saved ${later.value} after it`);
        for (const save of saves.filter((each) => each.mark === mark))
          findings.push(`  tab ${save.tab} saved ${save.field} ${save.value}: ${save.told || 'no answer'}`);
        findings.push(`  refused: ${[...refused].join(', ')}`);
      }
    }
  }
  for (const { page: each } of pages) await each.close();
  server.closeAllConnections();
  server.close();
  const { opened, closed, frozen } = done;
  const work = `${served.requests} requests, ${opened} tabs opened, ${closed} closed, ${frozen} frozen`;
  return { findings, work };
}

const script = await bundlePage('outbox-campaign-page.ts');
const browser = await launchChromium();
const [first = 1, last = first] = values.seeds.split('-').map(Number);
let failed = 0;
let steps = 0;
for (let seed = first; seed <= last; seed += 1) {
  const context = await browser.newContext();
  const { findings, work } = await campaign(seed, context, script);
  await context.close();
  steps += Number(values.steps);
  console.log(`${findings.length > 0 ? 'FAILED' : 'ok    '} seed ${seed}: ${values.steps} steps, ${work}`);
  for (const finding of findings) console.log(`  ${finding}`);
  if (findings.length > 0) failed += 1;
}
await browser.close();
console.log(`${steps} steps with ${values.tabs} tabs`);
console.log(`${last - first + 1 - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
