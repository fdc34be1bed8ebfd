import { createHash } from 'node:crypto';
import { brokenLaw } from './laws.js';
import type { Mistakes } from './mistakes.js';
import type { Scope } from './scopes.js';
import { open } from './screen.js';
import { stepsOf } from './tab.js';
import { copyOf, RECORDS, type RecordName, type World } from './world.js';

/** The result of an exploration. */
export interface Exploration {
  /** The number of different worlds. */
  readonly worlds: number;
  /** The number of worlds in which nothing is left to do. */
  readonly finals: number;
  /** The law that was broken. */
  readonly law?: string;
  /** The steps that led there. */
  readonly history?: readonly string[];
}

interface Options {
  /** Finds the shortest history that breaks a law; takes more memory. */
  readonly shortest?: boolean;
  /** Ends the exploration after so many worlds. @default it ends when all are seen */
  readonly most?: number;
}

/** A step of a history, with the one before. */
interface Past {
  readonly name: string;
  readonly before: Past | undefined;
}

/** Runs every order of the possible steps, and holds each world against the laws. */
export function explore(
  scope: Scope,
  on: Mistakes = {},
  { shortest = false, most = Number.POSITIVE_INFINITY }: Options = {},
): Exploration {
  const first = firstWorld(scope);
  const known = new Set([digest(first)]);
  const work: (readonly [World, Past | undefined])[] = [[first, undefined]];
  let worlds = 0;
  let finals = 0;
  for (let at = 0; (shortest ? at < work.length : work.length > 0) && worlds < most; at += 1) {
    const [world, past] = (shortest ? work[at] : work.pop()) as (typeof work)[number];
    const steps = stepsOf(world, scope, on);
    const isFinal = steps.every(({ isChoice }) => isChoice);
    const law = brokenLaw(world, isFinal);
    worlds += 1;
    if (isFinal) finals += 1;
    if (law !== undefined) return { worlds, finals, law, history: told(past) };
    for (const { name, run } of steps) {
      const next = copyOf(world);
      run(next);
      const key = digest(next);
      if (known.has(key)) continue;
      known.add(key);
      work.push([next, { name, before: past }]);
    }
  }
  return { worlds, finals };
}

function told(past: Past | undefined): string[] {
  const names: string[] = [];
  for (let each = past; each; each = each.before) names.unshift(each.name);
  return names;
}

function digest(world: World): string {
  return createHash('md5').update(JSON.stringify(world)).digest('base64');
}

/** The world at first: two open tabs, and the records that exist. */
export function firstWorld(scope: Scope): World {
  const { creates = [], users, versions = [1, 1], left } = scope;
  const existing: RecordName[] = users ? [...RECORDS] : creates.includes('P') ? [] : ['P'];
  const rows = existing.map((r, at) => ({ id: at + 1, r, values: { a: 'S1', b: 'S2' }, tag: 1 }));
  const ofEach = <T>(value: (r: RecordName, at: number) => T) =>
    Object.fromEntries(existing.map((r, at) => [r, value(r, at)]));
  const world: World = {
    ...{
      withKeys: scope.keys === true,
      withTags: scope.tags === true,
      existing,
      saves: [],
      posted: {},
      doubted: [],
      late: [],
    },
    ...{ lock: { P: null, C: null }, tabs: [], outside: null, broken: null },
    log: {
      nextKey: 1,
      changes: [],
      progress: {},
      revisions: {},
      outcomes: [],
      ids: ofEach((_, at) => at + 1),
      tags: ofEach(() => 1),
      rows: {},
    },
    server: {
      rows,
      usedIds: rows.map(({ id }) => id),
      seen: existing.length > 0 ? ['S1', 'S2'] : [],
      keys: {},
      nextId: rows.length + 1,
    },
    left: {
      ...{ saves: 3, kills: 1, losses: 1, refusals: 0, reopens: 1, typing: 0, drops: 0, decides: 0, steals: 0 },
      ...{ repairs: 0, reads: 0, outsiders: 0, ...left },
    },
  };
  for (const at of [0, 1]) open(world, at, { records: [...(users?.[at] ?? RECORDS)], version: versions[at] as number });
  return world;
}
