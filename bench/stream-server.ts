import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomFrom, rowText } from './data.js';

/** A body of some size: rows with the ids from 1. */
function body(bytes: number, seed: number): Buffer[] {
  const random = randomFrom(seed);
  const chunks = [Buffer.from('[')];
  let [size, id] = [0, 1];
  while (size < bytes) {
    const rows = Array.from({ length: 1_000 }, () => rowText(id++, random)).join();
    chunks.push(Buffer.from(chunks.length > 1 ? `,${rows}` : rows));
    size += rows.length;
  }
  chunks.push(Buffer.from(']'));
  return chunks;
}

/** Serves rows, in a process of its own: POST makes the body, GET sends it. Sends the port to the parent process. */
export function serveStream(): void {
  let chunks: Buffer[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method === 'POST') {
      chunks = body(Number(searchParams.get('bytes')), Number(searchParams.get('seed')));
      response.end();
      return;
    }
    const size = chunks.reduce((sum, { length }) => sum + length, 0);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': size });
    let at = 0;
    const send = () => {
      while (at < chunks.length) if (!response.write(chunks[at++])) return void response.once('drain', send);
      response.end();
    };
    send();
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on('disconnect', () => process.exit());
}
