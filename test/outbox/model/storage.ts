import type { Mistakes } from './mistakes.js';
import type {
  Action,
  Job,
  Outcome,
  Progress,
  RecordName,
  SavedChange,
  ShownRecord,
  StoredChange,
  Values,
  World,
} from './world.js';

// Each function is one atomic step of the storage. Nothing else writes to the log.

function tellAll(world: World): void {
  for (const tab of world.tabs) tab.isStale = tab.isAlive;
}

/** Appends a change. `asked` are the values that the user wanted to be sent, for the laws. */
export function append(world: World, at: number, saved: SavedChange, on: Mistakes, asked: Values = saved.values): void {
  const { log } = world;
  const tab = world.tabs[at]!;
  const stored: StoredChange = { key: log.nextKey++, ...saved, seq: on.ordersPerTab ? tab.seq++ : 0 };
  const shown = tab.screen[saved.r] as ShownRecord;
  if (on.writesWholeRecord) log.changes = [...log.changes.filter(({ r }) => r !== saved.r), ...shown.changes];
  log.changes.push(stored);
  world.saves.push({ ...stored, values: asked, tab: at });
  shown.changes.push(stored);
  tellAll(world);
}

export function changesOf(world: World, r: RecordName): StoredChange[] {
  return world.log.changes.filter((change) => change.r === r).sort((a, b) => a.seq - b.seq || a.key - b.key);
}

export function update(world: World, keys: readonly number[], progress: Progress): void {
  for (const key of keys) {
    if (progress === undefined) delete world.log.progress[key];
    else world.log.progress[key] = progress;
    world.log.revisions[key] = (world.log.revisions[key] ?? 0) + 1;
  }
  tellAll(world);
}

/** Removes changes, and stores their outcome, the tag of the response and the id of the record. */
export function remove(
  world: World,
  outcome: Outcome,
  id: number | null | undefined,
  on: Mistakes,
  tag: number | false = false,
): void {
  const { log } = world;
  const { r, keys, row } = outcome;
  update(world, keys, undefined);
  log.changes = log.changes.filter((change) => !(on.removesWholeRecord ? change.r === r : keys.includes(change.key)));
  log.outcomes.push(outcome);
  if (tag) log.tags[r] = tag;
  if (row) log.rows[r] = row;
  if (id !== undefined && !(id === null && on.forgetsNeverCreated)) log.ids[r] = id;
  if (!on.forgetsIds) return;
  for (const name of Object.keys(log.ids) as RecordName[]) {
    const isUsed =
      world.existing.includes(name) || log.changes.some((change) => change.r === name || change.parent === name);
    if (!isUsed) delete log.ids[name];
  }
}

/** The stored progress of a change, which names its attempt. */
export function progressText({ log }: World, key: number, on: Mistakes): string {
  return on.guardsByState ? `${log.progress[key]}` : `${log.progress[key]} ${log.revisions[key] ?? 0}`;
}

/** Whether the storage refuses the steps of a job, because another tab has changed the progress of its changes. */
export function isTakenOver(world: World, { r, keys, seen }: Job, on: Mistakes): boolean {
  const stored = changesOf(world, r);
  return keys.some(
    (key, at) => !stored.some((change) => change.key === key) || progressText(world, key, on) !== seen[at],
  );
}

/** The job of a record, read under its lock; undefined: nothing can be sent now. */
export function nextJob(world: World, r: RecordName, version: number, on: Mistakes): Job | undefined {
  const { progress, ids, tags, rows } = world.log;
  const stored = changesOf(world, r);
  const list = on.skipsUnreadable ? stored.filter((change) => change.version <= version) : stored;
  // Nothing passes a change that this version of the application cannot read.
  if (list.some((change) => change.version > version)) return undefined;
  if (list.length === 0 || list.some(({ key }) => progress[key] === 'unconfirmed')) return undefined;
  // An attempt is repeated as it was; otherwise changes are folded, up to the first erase.
  const attempted = list.filter(({ key }) => progress[key] === 'attempted');
  const isRepeat = attempted.length > 0;
  const erase = list.findIndex(({ action }) => action === 'erase');
  const folded = erase < 0 || on.foldsPastErase ? list : list.slice(0, erase + 1);
  const group = isRepeat && !on.foldsAttempted ? attempted : isRepeat ? list : folded;
  const has = (action: Action) => group.some((change) => change.action === action);
  const keys = group.map(({ key }) => key);
  const values: Values = Object.assign({}, ...group.map((change) => change.values));
  const base: Values = Object.assign({}, ...[...group].reverse().map((change) => change.base), rows[r]);
  const id = ids[r];
  const parent = group.find((change) => change.parent)?.parent;
  const job: Job = {
    ...{
      r,
      does: 'send',
      keys,
      seen: keys.map((key) => progressText(world, key, on)),
      at: 'decide',
      values,
      base,
      isRepeat,
      tag: tags[r],
    },
    ...{ action: has('erase') ? 'erase' : has('create') ? 'create' : 'update', id: id ?? undefined },
    ...{ parentId: (parent && ids[parent]) ?? undefined, readsFirst: keys.some((key) => progress[key] === 'outdated') },
  };
  const isUnconfirmed = attempted[0]?.action === 'create' && !world.withKeys && !on.repeatsWithoutKey;
  if (isUnconfirmed) return { ...job, does: 'unconfirmed' };
  // Refused changes wait for the application, or for a newer save.
  if (list.every(({ key }) => progress[key] === 'refused')) return undefined;
  if (has('erase') && !isRepeat && (has('create') || id === null)) return { ...job, does: 'nothing' };
  const needed = has('create') ? parent && ids[parent] : id;
  if (needed === null)
    return keys.every((key) => progress[key] === 'refused') ? undefined : { ...job, does: 'refused' };
  const waits = needed === undefined && (parent !== undefined || !has('create'));
  return waits ? undefined : job;
}
