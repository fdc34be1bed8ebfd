import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDemoServer, DemoServerError } from './index.js';

const USAGE =
  'Usage: main.ts [--port 8080] [--host 127.0.0.1] [--file FILE] [--rows 3000] [--orders 120] [--seed 1] [--reset] [--log]';

function readArguments() {
  return parseArgs({
    options: {
      port: { type: 'string', default: '8080' },
      host: { type: 'string', default: '127.0.0.1' },
      file: { type: 'string', default: join(tmpdir(), 'repose-demo.sqlite') },
      rows: { type: 'string', default: '3000' },
      orders: { type: 'string', default: '120' },
      seed: { type: 'string', default: '1' },
      reset: { type: 'boolean', default: false },
      log: { type: 'boolean', default: false },
    },
  }).values;
}

async function main(): Promise<void> {
  const { port, host, file, rows, orders, seed, reset, log } = readArguments();
  const server = createDemoServer({
    file,
    rows: Number(rows),
    orders: Number(orders),
    seed: Number(seed),
    ...(log ? { log: console.error } : {}),
  });
  if (reset) server.reset();
  try {
    const { url } = await server.listen(Number(port), host);
    // The first line of the output is only the url, for programs that start the server as a process.
    console.log(url);
  } catch (error) {
    await server.close();
    throw error;
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
}

try {
  await main();
} catch (error) {
  const usage = error instanceof TypeError && 'code' in error;
  if (!usage && !(error instanceof DemoServerError)) throw error;
  console.error(usage ? `${error.message}\n${USAGE}` : error.message);
  process.exitCode = usage ? 2 : 1;
}
