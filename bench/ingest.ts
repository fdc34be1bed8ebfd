import { parseJson } from '../src/util/json.js';
import { freshRows, jsonText, type SourceRow } from './data.js';
import {
  compare,
  type Digest,
  measure,
  median,
  type Row,
  round,
  type Session,
  type Step,
  type Subject,
} from './harness.js';
import { budgetOf, type Kit, load, type Table } from './kit.js';

/** The input of a turn. It keeps the result, so that this is not collected before it has been checked. */
interface Input {
  readonly kit: Kit;
  readonly text?: string | undefined;
  rows?: SourceRow[] | undefined;
  table?: Table;
}

async function hold(input: Input, table: Table | Promise<Table>): Promise<Table> {
  input.table = await table;
  return input.table;
}

function check({ table }: Input): Digest {
  const count = (table as Table).count;
  return {
    count,
    first: table?.nameOf(1) ?? '',
    last: table?.nameOf(count) ?? '',
    sum: Math.round(table?.readAll() ?? 0),
  };
}

const lazily: Step<Input> = {
  case: 'records from parsed rows',
  run: (input) => hold(input, input.kit.hold(input.rows as SourceRow[])),
  check,
};
const read: Step<Input> = {
  case: 'records from parsed rows, all fields read',
  run: async (input) => (await hold(input, input.kit.hold(input.rows as SourceRow[]))).readAll(),
  check,
};
const parse: Step<Input> = {
  case: 'records from JSON text',
  run: (input) => hold(input, load(input.kit, input.text as string)),
  check,
};

const parseLong: Step<Input> = { ...parse, case: 'records from JSON text, a long number in each' };

/** `npm run bench -- ingest`: time and memory of records that are made from rows and from JSON text. */
export async function ingest(kits: readonly Kit[], quick: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  for (const n of quick ? [1_000] : [100_000, 1_000_000]) {
    if (kits.some(({ most = n }) => n > most)) continue;
    const large = n > 100_000;
    const session = {
      workload: 'ingest',
      n,
      unit: 'µs each',
      runs: quick ? 2 : large ? 3 : 9,
      budget: budgetOf(kits, quick),
      deep: large,
    } as const;
    for (const step of large ? [lazily, parse] : [lazily, read, parse, parseLong]) {
      const subjects = kits.map((kit) => ({
        name: kit.name,
        prepare: (turn: number): Input =>
          step === parse || step === parseLong
            ? { kit, text: jsonText(n, turn, step === parseLong) }
            : { kit, rows: freshRows(n, turn) },
        close: (input: Input) => input.table?.close?.(),
      }));
      rows.push(...(await measure({ ...session, subjects, steps: [step] })));
    }
    if (!large && kits.some(({ patient }) => patient)) rows.push(...(await parsers(session)));
    if (!large) rows.push(...(await heap(kits, quick ? 10_000 : n, quick ? 1 : 3)));
  }
  return rows;
}

/** The text of a turn, and what parses it. */
interface Parsing {
  readonly text: string;
  parse(text: string): unknown;
}

/** Time of parsing with every digit of numbers that JavaScript cannot hold, without such numbers and with one in each row. */
async function parsers(session: Omit<Session<Parsing>, 'subjects' | 'steps'>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const long of [false, true]) {
    const subjectOf = (name: string, parse: (text: string) => unknown): Subject<Parsing> => ({
      name,
      prepare: (turn) => ({ text: jsonText(session.n, turn, long), parse }),
    });
    const step: Step<Parsing> = {
      case: long ? 'data from JSON text, a long number in each' : 'data from JSON text',
      run: ({ text, parse }) => parse(text),
      check: (_, data: SourceRow[]) => ({ count: data.length, last: data.at(-1)?.name ?? '' }),
    };
    const subjects = [subjectOf('floor', JSON.parse), subjectOf('repose', (text) => parseJson(text).value)];
    rows.push(...(await measure({ ...session, subjects, steps: [step] })));
  }
  return rows;
}

/** Bytes of heap for each record, with its share of the store, before and after its fields were read. */
async function heap(kits: readonly Kit[], n: number, runs: number): Promise<Row[]> {
  const cases = ['heap of a record, unread', 'heap of a record, all fields read'];
  const found = kits.map((): [number[], number[]] => [[], []]);
  for (let run = 0; run < runs; run += 1) {
    const digests: Digest[] = [];
    for (const [at, kit] of kits.entries()) {
      const { unread, all, digest } = await weigh(kit, n, run);
      digests.push(digest);
      found[at]?.[0].push(unread / n);
      found[at]?.[1].push(all / n);
    }
    compare('ingest, heap', digests, kits);
  }
  const medians = found.map((lists) => lists.map(median));
  return cases.flatMap((name, which) =>
    kits.map(({ name: subject }, at) => {
      const value = medians[at]?.[which] as number;
      const ratio = round(value / (medians[0]?.[which] as number), 3);
      return { workload: 'ingest', case: name, n, subject, value: Math.round(value), unit: 'bytes', ratio };
    }),
  );
}

/** Measures in a function of its own, so that no variable still refers to records that were measured before. */
async function weigh(kit: Kit, n: number, seed: number): Promise<{ unread: number; all: number; digest: Digest }> {
  const before = used();
  const table = await load(kit, jsonText(n, seed));
  const unread = used() - before;
  const sum = Math.round(table.readAll());
  const all = used() - before;
  const digest = { count: table.count, sum };
  table.close?.();
  return { unread, all, digest };
}

function used(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
