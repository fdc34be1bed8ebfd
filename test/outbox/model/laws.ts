import { waitsForDecision } from './sender.js';
import { changesOf } from './storage.js';
import { type Outcome, RECORDS, type RecordName, type ShownRecord, type Values, type World } from './world.js';

/** The law that a world breaks; undefined: none. In a final world nothing is left to do. */
export function brokenLaw(world: World, isFinal: boolean): string | undefined {
  if (world.broken) return world.broken;
  const law = lostOrDoubled(world) ?? onlyTyped(world) ?? shownAsClean(world);
  if (law !== undefined || !isFinal || !world.tabs.some(({ isAlive }) => isAlive)) return law;
  for (const r of RECORDS) {
    const broken = atTheEnd(world, r);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

/** The outcome of each change that is stored no longer. */
function outcomesByKey({ log }: World): Map<number, Outcome['type']> {
  return new Map(log.outcomes.flatMap(({ keys, type }) => keys.map((key) => [key, type] as const)));
}

function lostOrDoubled(world: World): string | undefined {
  const { server, saves, log, doubted } = world;
  for (const r of RECORDS) {
    if (!doubted.includes(r) && server.rows.filter((row) => row.r === r).length > 1) return `${r} was created twice`;
  }
  const outcomes = outcomesByKey(world);
  const lost = saves.find(({ key }) => !outcomes.has(key) && !log.changes.some((change) => change.key === key));
  return lost && `change ${lost.key} was saved, and is lost`;
}

function onlyTyped({ server, saves }: World): string | undefined {
  const isGiven = (value: string) => value.startsWith('S') || value.startsWith('X');
  const typed = server.seen.find(
    (value) => !isGiven(value) && !saves.some(({ values }) => Object.values(values).includes(value)),
  );
  return typed && `${typed} was only typed, and is on the server`;
}

function shownAsClean({ tabs, server }: World): string | undefined {
  for (const { screen, waiting } of tabs) {
    for (const [r, { row, typed, changes }] of Object.entries(screen) as [RecordName, ShownRecord][]) {
      const isClean = Object.keys(typed).length === 0 && changes.length === 0 && !waiting.some((each) => each.r === r);
      const unknown = Object.values(row ?? {}).find((value) => !server.seen.includes(value));
      if (isClean && unknown) return `a tab shows ${r} as clean with ${unknown}, which the server never got`;
    }
  }
  return undefined;
}

function textOf(values: Values | null | undefined): string {
  return JSON.stringify(values ? Object.entries(values).sort() : null);
}

/** The laws about a record when nothing is left to do. */
function atTheEnd(world: World, r: RecordName): string | undefined {
  const { log, server, doubted, existing, saves, tabs, outside } = world;
  const list = changesOf(world, r);
  const waitsForParent = list.some(({ parent }) => parent) && !log.ids.P;
  const isTold = waitsForDecision(world, r) || (waitsForParent && waitsForDecision(world, 'P'));
  const canBeRead = tabs.some(
    ({ isAlive, version, records }) =>
      isAlive && records.includes(r) && list.every((change) => change.version <= version),
  );
  if (list.length > 0 && !isTold && canBeRead)
    return `${r} is stuck: changes ${list.map(({ key }) => key).join()} are never sent`;
  const row = server.rows.find((each) => each.r === r)?.values;
  if (row && log.ids[r] === null && !doubted.includes(r)) return `${r} was told as never created, and exists`;
  if (list.length > 0 || doubted.includes(r)) return undefined;
  const outcomes = outcomesByKey(world);
  let last: Values | undefined = existing.includes(r) ? { a: 'S1', b: outside ?? 'S2' } : undefined;
  for (const { key, action, r: of, values } of saves) {
    if (of === r && outcomes.get(key) === 'sent') last = action === 'erase' ? undefined : { ...last, ...values };
  }
  if (outside === null && textOf(last) !== textOf(row))
    return `${r} was told as ${textOf(last)}, and the server has ${textOf(row)}`;
  if (outside !== null && row && last?.['a'] !== row['a'])
    return `${r}.a was told as ${last?.['a']}, and the server has ${row['a']}`;
  const other = tabs.find(({ isAlive, screen }) => isAlive && screen[r] && textOf(screen[r].row) !== textOf(row));
  // Nobody is told of what somebody else writes without an outbox.
  if (other && outside === null)
    return `a tab shows ${r} as ${textOf(other.screen[r]?.row)}, and the server has ${textOf(row)}`;
  return undefined;
}
