import type { Mistakes } from './mistakes.js';
import { changesOf } from './storage.js';
import type { RecordName, ShownRecord, Tab, World } from './world.js';

/** A tab is told of everything that has happened since its last look. */
export function look(world: World, at: number, on: Mistakes): void {
  const { log } = world;
  const tab = world.tabs[at]!;
  const shown = (r: RecordName): ShownRecord => {
    tab.screen[r] ??= { row: undefined, typed: {}, changes: [] };
    return tab.screen[r];
  };
  const isOfUser = (r: RecordName) => tab.records.includes(r) || on.sendsForOthers === true;
  for (const { r } of log.changes) if (isOfUser(r)) shown(r);
  for (const { r, type, row } of log.outcomes.slice(tab.told)) {
    if (on.missesOutcomes || !isOfUser(r)) continue;
    const isGone = row === null || (type === 'dropped' && log.ids[r] === null);
    if (row) shown(r).row = row;
    else if (isGone && tab.screen[r]) Object.assign(tab.screen[r], { row: null, typed: {} });
  }
  for (const [r, record] of Object.entries(tab.screen) as [RecordName, ShownRecord][]) {
    const changes = changesOf(world, r).map((change) => ({
      ...change,
      progress: log.progress[change.key] ?? ('' as const),
    }));
    const gone = record.changes.filter(({ key }) => !changes.some((each) => each.key === key));
    record.changes = changes;
    if (on.takesAbsenceForSent) record.row = Object.assign({}, record.row, ...gone.map(({ values }) => values));
  }
  tab.told = log.outcomes.length;
  tab.isStale = false;
}

/** A tab is opened: rows come from the server, changes from the storage. */
export function open(world: World, at: number, given: Pick<Tab, 'records' | 'version'>): void {
  const screen: Tab['screen'] = {};
  for (const { r, id, values } of world.server.rows) {
    if (world.log.ids[r] === id && given.records.includes(r)) screen[r] = { row: values, typed: {}, changes: [] };
  }
  world.tabs[at] = {
    ...{
      isAlive: true,
      screen,
      waiting: [],
      job: null,
      reading: null,
      told: world.log.outcomes.length,
      isStale: false,
      seq: 0,
    },
    ...{ made: world.tabs[at] ? 50 : 0, ...given },
  };
  look(world, at, {});
}
