import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../site/dist', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

/** The built site, as the simplest web server gives it: files, and `index.html` of folders. */
export interface BuiltSite {
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves the built site on a free port. Throws if it was not built. */
export async function serveSite(): Promise<BuiltSite> {
  if (!existsSync(path.join(folder, 'index.html'))) throw new Error('The site is not built: run `npm run docs` first');
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site.test');
    const file = path.join(folder, path.normalize(decodeURIComponent(pathname)));
    const isFolder = existsSync(file) && statSync(file).isDirectory();
    if (isFolder && !pathname.endsWith('/')) return response.writeHead(301, { Location: `${pathname}/` }).end();
    const found = [isFolder ? path.join(file, 'index.html') : file].find((each) => existsSync(each));
    if (!found) return response.writeHead(404).end('Not found');
    response.writeHead(200, { 'Content-Type': TYPES[path.extname(found)] ?? 'text/plain; charset=utf-8' });
    return response.end(readFileSync(found));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A file of the built site. */
export const readBuilt = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

/** The files in a folder of the built site with an ending, by their paths in the folder. */
export const builtFiles = (place: string, ending: string): string[] =>
  readdirSync(path.join(folder, place), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith(ending));
