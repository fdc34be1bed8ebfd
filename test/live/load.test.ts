import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { Model, plain, Store } from 'repose';
import { feed, serverSentEvents } from 'repose/live';
import { type RestServer, restServer } from 'repose/testing';
import { afterEach, expect, test } from 'vitest';

const HOST = 'http://load.test';
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Serves a server in memory over HTTP. `drops` says which blocks of events never reach the client. */
async function serve(server: RestServer, drops: (text: string) => boolean = () => false): Promise<string> {
  const http: Server = createServer(async (message, response) => {
    const left = new AbortController();
    response.on('close', () => left.abort());
    const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const answer = await server.fetch(`${HOST}${message.url}`, { headers, signal: left.signal });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (!answer.body) return void response.end();
    Readable.fromWeb(answer.body as NodeStream<Uint8Array>)
      .on('error', () => response.destroy())
      .on('data', (part: Uint8Array) => drops(new TextDecoder().decode(part)) || response.write(part))
      .on('end', () => response.end());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** A store over HTTP that a feed keeps as the server is. */
async function open(server: RestServer, baseUrl: string, consecutive: boolean) {
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string', rank: 'int' },
    proxy: { type: 'rest', url: '/tasks', baseUrl, dialect: plain() },
  }) {}
  const tasks = new Store({ model: Task, pageSize: 0, sorters: ['id'] });
  const live = feed(tasks, { open: serverSentEvents(Task, { consecutive }), backoff: { base: 20, max: 50 } });
  closers.push(() => {
    live.close();
    tasks.dispose();
  });
  await tasks.load();
  const shown = () => [...tasks].map(({ id, title, rank }) => ({ id, title, rank }));
  const saved = () => [...server.rows('/tasks')].sort((a, b) => Number(a['id']) - Number(b['id']));
  return { tasks, live, shown, saved };
}

const rows = Array.from({ length: 500 }, (_, at) => ({ id: at + 1, title: `t${at}`, rank: 0 }));

/** Writes as other clients do. */
async function write(server: RestServer, method: string, path: string, body?: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await server.fetch(`${HOST}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

test('1,000 changes a second over HTTP, with lost connections, leave the store as the server is', async () => {
  const server = restServer({ collections: { '/tasks': rows }, eventLog: 2000 });
  const { tasks, live, shown, saved } = await open(server, await serve(server), false);
  const edited = tasks.getById(500)!;
  edited.title = 'typed';
  let count = 0;
  // Ten changes in each hundredth of a second, for three seconds.
  for (let tick = 0; tick < 300; tick += 1) {
    for (let each = 0; each < 10; each += 1) {
      count += 1;
      const id = 1 + ((count * 7) % 400);
      if (count % 50 === 0) await write(server, 'POST', '/tasks', { title: `new ${count}`, rank: count });
      else if (count % 75 === 1) await write(server, 'DELETE', `/tasks/${400 + (count % 99)}`);
      else await write(server, 'PATCH', `/tasks/${id}`, { rank: count });
    }
    if (tick % 100 === 60) server.endEvents();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await write(server, 'PATCH', '/tasks/500', { rank: count });
  const last = saved().at(-1);
  await expect.poll(() => [edited.rank, shown().at(-1)?.id]).toEqual([count, last?.['id']]);
  await expect.poll(() => live.state.get()).toMatchObject({ status: 'live', behind: false });
  const others = (list: readonly object[]) => list.filter((row) => (row as { id: number }).id !== 500);
  expect(others(shown())).toEqual(others(saved()));
  expect([edited.title, edited.dirty, edited.rank]).toEqual(['typed', true, count]);
});

test('notices events that the server has skipped, if they are numbered without holes', async () => {
  const server = restServer({ collections: { '/tasks': rows.slice(0, 20) } });
  let sent = 0;
  const skipsSome = (text: string) => text.includes('data:') && ++sent % 5 === 0;
  const { live, shown, saved } = await open(server, await serve(server, skipsSome), true);
  await expect.poll(() => live.state.get()).toMatchObject({ status: 'live', behind: false });
  for (let at = 1; at <= 21; at += 1) {
    await write(server, 'PATCH', `/tasks/${1 + (at % 20)}`, { rank: at });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await expect.poll(shown).toEqual(saved());
});
