import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { compare, median, type Row, round } from './harness.js';
import { type Reading, readers } from './stream-reader.js';

/** Starts a part of the benchmark in a process of its own. */
export type Spawn = (role: readonly string[]) => ChildProcess;

/** `npm run bench -- stream`: one large body, from a server in another process; each reading has a process of its own. */
export async function stream(spawn: Spawn, quick: boolean): Promise<Row[]> {
  const bytes = quick ? 2_000_000 : 200_000_000;
  const server = spawn(['serve-stream']);
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const names = Object.keys(readers);
    const found = names.map((): Reading[] => []);
    for (let run = 0; run < (quick ? 1 : 3); run += 1) {
      for (let i = 0; i < names.length; i += 1) {
        const at = (i + run) % names.length;
        const url = `http://127.0.0.1:${port}/rows`;
        console.error(`stream: ${names[at]} …`);
        // All subjects of a run read the same rows, which are made again for each subject.
        await fetch(`${url}?bytes=${bytes}&seed=${run + 1}`, { method: 'POST' });
        found[at]?.push(await readIn(spawn, names[at] as string, url));
      }
      const digests = found.map((readings) => readings[run]?.digest);
      compare(
        'stream',
        digests,
        names.map((name) => ({ name })),
      );
    }
    return rowsOf(names, found);
  } finally {
    server.disconnect();
  }
}

async function readIn(spawn: Spawn, subject: string, url: string): Promise<Reading> {
  const child = spawn(['read-stream', subject, url]);
  const [answer] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`stream, ${subject}: the process ended with ${code}`);
    }),
  ])) as [Reading];
  return answer;
}

function rowsOf(names: readonly string[], found: readonly Reading[][]): Row[] {
  const n = Number(found[0]?.[0]?.digest['count']);
  const cases = [
    ['first record', 'first', 'ms', 1],
    ['total', 'total', 'ms', 1],
    ['peak memory', 'peak', 'MB', 1e6],
  ] as const;
  return cases.flatMap(([name, member, unit, scale]) => {
    const medians = found.map((readings) => median(readings.map((reading) => reading[member])) / scale);
    return names.map((subject, at) => {
      const value = medians[at] as number;
      const ratio = round(value / (medians[0] as number), 3);
      return { workload: 'stream', case: name, n, subject, value: round(value, 1), unit, ratio };
    });
  });
}
