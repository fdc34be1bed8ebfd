import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { renderToString } from 'react-dom/server';
import { Session } from 'repose';
import { dehydrate, stringify } from 'repose/ssr';
import { api } from './api';
import { App } from './app';
import { createTasks, Task } from './tasks';

/** Each request has a session and a class of its own, so that no user gets the data of another one. */
async function renderPage(request: IncomingMessage): Promise<string> {
  const headers = { Cookie: request.headers.cookie ?? '' };
  const session = new Session();
  const model = Task.with({ proxy: { ...api, headers } });
  const tasks = createTasks(model, session);
  await tasks.ready;
  const html = renderToString(<App tasks={tasks} />);
  // The page has another address of the API, so a name says which class gets the rows.
  const state = stringify(dehydrate(session, [tasks], { task: model }));
  session.dispose();
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Tasks</title>
  <link rel="icon" href="data:,">
  <div id="root">${html}</div>
  <script id="state" type="application/json">${state}</script>
  <script type="module" src="/main.js"></script>
</html>`;
}

/** Passes a request of the page on to the API. */
async function passOn({ method = 'GET', url = '', headers }: IncomingMessage, body: string): Promise<Response> {
  const { cookie = '', 'content-type': type = 'application/json' } = headers;
  return api.fetch(api.baseUrl + url, {
    method,
    headers: { Cookie: cookie, 'Content-Type': type },
    ...(body !== '' && { body }),
  });
}

async function answer(request: IncomingMessage, body: string): Promise<Response> {
  if (request.url?.startsWith('/api/')) return passOn(request, body);
  if (request.url === '/main.js') {
    const script = readFileSync(path.join(import.meta.dirname, 'main.js'), 'utf8');
    return new Response(script, { headers: { 'Content-Type': 'text/javascript; charset=utf-8' } });
  }
  if (request.url !== '/') return new Response('Not found', { status: 404 });
  return new Response(await renderPage(request), { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
}

const server = createServer(async (request, response) => {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const result = await answer(request, Buffer.concat(chunks).toString());
    for (const name of ['Content-Type', 'X-Total-Count']) {
      const value = result.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(result.status).end(await result.text());
  } catch (error) {
    console.error(error);
    response.writeHead(500).end('The page could not be rendered');
  }
});
server.listen(Number(process.env['PORT'] ?? 3000), () => {
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`);
});
