/** A row of the data of all workloads, as a server sends it. */
export interface SourceRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly age: number;
  readonly salary: number;
  readonly active: boolean;
  /** An instant, as ISO text. */
  readonly joined: string;
  readonly department: string;
}

/** The fields of a row, as a model declares them. */
export const fields = {
  id: 'int',
  name: 'string',
  email: 'string',
  age: 'int',
  salary: 'number',
  active: 'boolean',
  joined: 'date',
  department: 'string',
} as const;

const GIVEN =
  'Ada Alan Barbara Brian Dennis Donald Edsger Frances Grace Hedy Ivan Jean John Katherine Ken Leslie Linus'.split(' ');
const FAMILY = 'Allen Borg Cerf Dijkstra Easley Floyd Goldberg Hopper Iverson Johnson Knuth Lamport Moore Naur'.split(
  ' ',
);
export const DEPARTMENTS: readonly string[] =
  'accounts design finance legal logistics marketing operations people quality research sales support'.split(' ');

const DAY = 86_400_000;
const FIRST_LONG = 9_007_199_254_740_991n;
/** Number of texts made so far. Each text begins with other white space, so that no text is ever parsed twice. */
let texts = 0;

/** Random numbers from 0 to below 1; the same numbers for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = (seed * 0x9e3779b1) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** JSON of one row. */
export function rowText(id: number, random: () => number): string {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] as string;
  const name = `${pick(GIVEN)} ${pick(FAMILY)}`;
  const tag = Math.floor(random() * 2_000_000_000).toString(36);
  const joined = new Date(Date.UTC(2001, 0, 1) + Math.floor(random() * 9_000) * DAY + Math.floor(random() * DAY));
  const salary = Math.floor(2_000_000 + random() * 10_000_000) / 100;
  return (
    `{"id":${id},"name":"${name} ${tag}","email":"${tag}.${id}@example.com","age":${18 + Math.floor(random() * 50)},` +
    `"salary":${salary},"active":${random() < 0.75},"joined":"${joined.toISOString()}","department":"${pick(DEPARTMENTS)}"}`
  );
}

/**
 * A JSON array of rows with the ids from 1. The same rows for the same seed, but never the same text. With `long`, each row has a
 * number more that JavaScript cannot hold.
 */
export function jsonText(n: number, seed: number, long: boolean = false): string {
  const random = randomFrom(seed);
  const parts = [`${' '.repeat((texts += 1))}[`];
  for (let id = 1; id <= n; id += 1) {
    const row = rowText(id, random);
    parts.push(long ? `${row.slice(0, -1)},"serial":${FIRST_LONG + BigInt(2 * id)}}` : row, id === n ? ']' : ',');
  }
  return parts.join('');
}

/** Rows as they come out of `JSON.parse`, fresh ones at each call. */
export function freshRows(n: number, seed: number): SourceRow[] {
  return JSON.parse(jsonText(n, seed));
}

/** A checksum of a sequence of ids, which depends on their order. */
export function orderOf(count: number, id: (at: number) => number): number {
  let hash = count;
  for (let at = 0; at < count; at += 1) hash = (Math.imul(hash, 31) + id(at)) | 0;
  return hash;
}

export interface Edit {
  readonly id: number;
  readonly field: 'salary' | 'active';
  readonly value: number | boolean;
}

/** Edits of random records: three of four set the field that is sorted by, one the field that is filtered by. */
export function randomEdits(n: number, count: number, seed: number): Edit[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => {
    const id = 1 + Math.floor(random() * n);
    const salary = Math.floor(2_000_000 + random() * 10_000_000) / 100;
    return random() < 0.75 ? { id, field: 'salary', value: salary } : { id, field: 'active', value: random() < 0.75 };
  });
}
