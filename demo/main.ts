import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createDemoServer, type DemoServer, DemoServerError } from './server/index.js';
import { Printer } from './tour/printer.js';
import { runTour } from './tour/tour.js';
import { buildPage, type Page } from './web/build.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE = join(ROOT, '.cache', 'demo.sqlite');
/** A database of its own, so that a tour runs beside the application. */
const TOUR_FILE = join(ROOT, '.cache', 'tour.sqlite');
const HOST = '127.0.0.1';

/** A failure that is printed in one line. */
class StartError extends Error {}

interface Options {
  /** Print the requests of a record's whole way, and end. */
  readonly tour: boolean;
  readonly port: number;
  readonly file: string;
  readonly orders: number;
}

function readOptions(): Options {
  const usage = 'npm start -- --port 8080 --file FILE --orders 100000';
  try {
    const { tour, port, file, orders } = parseArgs({
      options: {
        tour: { type: 'boolean', default: false },
        port: { type: 'string' },
        file: { type: 'string' },
        orders: { type: 'string', default: '100000' },
      },
    }).values;
    const text = port ?? (process.env.PORT || (tour ? '0' : '8080'));
    if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
      throw new StartError(`The port is a whole number from 0 to 65535, not '${text}'`);
    return { tour, port: Number(text), file: file ?? (tour ? TOUR_FILE : FILE), orders: Number(orders) };
  } catch (error) {
    throw new StartError(`${(error as Error).message} (${usage})`);
  }
}

/** Opens the database and fills it again, so that every start shows the same data. */
function openServer({ file, orders }: Options, page: () => Page | undefined): DemoServer {
  const hint = '(npm start -- --file FILE takes another)';
  try {
    if (dirname(file) === dirname(FILE)) mkdirSync(dirname(file), { recursive: true });
    return createDemoServer({ file, orders, refill: true, page: (path) => page()?.(path) });
  } catch (error) {
    if (error instanceof DemoServerError) throw new StartError(`${error.message} ${hint}`);
    throw new StartError(`Cannot write the database ${file}: ${(error as Error).message} ${hint}`);
  }
}

async function listen(server: DemoServer, { port }: Options): Promise<string> {
  try {
    return (await server.listen(port, HOST)).url;
  } catch (error) {
    const hint = `npm start -- --port ${port < 65_535 ? port + 1 : 8080}, or PORT=${port < 65_535 ? port + 1 : 8080} npm start`;
    throw error instanceof DemoServerError ? new StartError(`${error.message}: ${hint}`) : error;
  }
}

/** Prints the way of a record, from its creation until it is erased. */
async function showTour(url: string, printer: Printer, { file }: Options): Promise<void> {
  printer.line(printer.style.title('Repose: the way of a record'));
  printer.line(`A REST server over SQLite, filled anew: ${basename(file)} at ${url}`);
  printer.line('Beside each part of a request stand the rule that made it and the option that changes it');
  printer.line('(§: the document on addresses, H: a house rule).');
  await runTour({ url, printer });
}

/** Prints the address of the application as the last line. */
function showAddress(url: string, printer: Printer, { file }: Options): void {
  printer.line(printer.style.title('Repose: two people at work on 100,000 orders'));
  printer.line(`A REST server over SQLite, filled anew: ${basename(file)}. Ctrl-C ends it.`);
  printer.line('The requests of a record, and the reason for each of their parts: npm run tour');
  printer.line(printer.style.code(`${url}/`));
}

async function main(): Promise<void> {
  const { stdout, env } = process;
  const options = readOptions();
  let page: Page | undefined;
  const server = openServer(options, () => page);
  const printer = new Printer({
    write: (line) => stdout.write(`${line}\n`),
    colour: stdout.isTTY === true && stdout.hasColors(),
  });
  try {
    const url = await listen(server, options);
    if (options.tour) {
      await showTour(url, printer, options);
      return await server.close();
    }
    page = await buildPage();
    showAddress(url, printer, options);
    // Nobody ends it in CI.
    if (!['', '0', 'false'].includes(env.CI ?? '')) return await server.close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
  } catch (error) {
    await server.close();
    throw error;
  }
}

// A reader of the output, such as `head`, may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await main();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
