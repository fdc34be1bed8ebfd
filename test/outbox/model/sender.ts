import type { Mistakes } from './mistakes.js';
import type { Scope } from './scopes.js';
import { serve } from './server.js';
import { changesOf, isTakenOver, nextJob, progressText, remove, update } from './storage.js';
import type { Steps } from './tab.js';
import { type Answer, type Job, nameOfTab, type Progress, RECORDS, type Values, type World } from './world.js';

/** The sender of a tab: lock, read and fold, progress, request, outcome with removal. */
export function sender(world: World, at: number, scope: Scope, on: Mistakes, steps: Steps): void {
  const { job } = world.tabs[at]!;
  if (job) continueJob(world, at, job, scope, on, steps);
  else beginJob(world, at, on, steps);
}

function beginJob(world: World, at: number, on: Mistakes, steps: Steps): void {
  const { records, version } = world.tabs[at]!;
  for (const r of RECORDS) {
    if (!records.includes(r) && !on.sendsForOthers) continue;
    if (world.lock[r] !== null || !nextJob(world, r, version, on)) continue;
    // One step: a tab that waits between the lock and the read changes nothing.
    steps.must(`${nameOfTab(at)} ${on.readsBeforeLock ? '' : 'locks, '}reads and folds ${r}`, (next) => {
      const job = nextJob(next, r, version, on) as Job;
      if (on.sendsWhatWasTyped) Object.assign(job.values, next.tabs[at]!.screen[r]?.typed);
      if (on.readsBeforeLock) job.at = 'lock';
      else next.lock[r] = at;
      next.tabs[at]!.job = job;
    });
  }
}

/** The job ends, and its lock falls free. */
function release(world: World, at: number): void {
  const { job } = world.tabs[at]!;
  if (job && world.lock[job.r] === at) world.lock[job.r] = null;
  world.tabs[at]!.job = null;
}

function setProgress(world: World, job: Job, progress: Progress, on: Mistakes): void {
  update(world, job.keys, progress);
  job.seen = job.keys.map((key) => progressText(world, key, on));
}

function continueJob(world: World, at: number, job: Job, scope: Scope, on: Mistakes, steps: Steps): void {
  const { r, keys, does } = job;
  const me = nameOfTab(at);
  const go =
    (place: Job['at'], more: (next: World, own: Job) => void = () => undefined) =>
    (next: World) => {
      const own = next.tabs[at]!.job as Job;
      own.at = place;
      more(next, own);
    };
  if (world.left.steals > 0 && world.lock[r] === at) {
    steps.may(`the lock of ${me} is taken from it`, (next) => {
      next.left.steals -= 1;
      next.lock[r] = null;
    });
  }
  const writes = job.at === 'decide' || job.at === 'answer';
  if (writes && isTakenOver(world, job, on) && !on.storesWithoutGuard) {
    steps.must(`${me} is refused by the storage, and stops`, (next) => release(next, at));
    return;
  }
  if (job.at === 'lock' && world.lock[r] === null) {
    steps.must(
      `${me} locks ${r} after reading`,
      go('decide', (next) => {
        next.lock[r] = at;
      }),
    );
  }
  if (job.at === 'decide' && does === 'send') {
    if (job.readsFirst && !on.overwritesOnConflict)
      steps.must(`${me} reads the row of ${r} first`, (next) => readFirst(next, at, on));
    else {
      steps.must(
        `${me} writes progress of ${keys}`,
        go('send', (next, own) => {
          if (keys.every((key) => next.log.progress[key] === 'refused'))
            next.broken = 'a refused change was sent again by itself';
          if (own.readsFirst) own.tag = next.server.rows.find((row) => row.id === own.id)?.tag;
          if (scope.wholeRow && own.action === 'update') own.values = { ...own.base, ...own.values };
          if (!on.writesProgressAfter) setProgress(next, own, 'attempted', on);
        }),
      );
    }
  } else if (job.at === 'decide') {
    steps.must(`${me} sends nothing: ${keys} ${does}`, (next) => {
      if (does === 'nothing') remove(next, { r, keys, type: 'dropped', row: null }, null, on);
      else if (does !== 'send') update(next, keys, does);
      release(next, at);
    });
  }
  if (job.at === 'send')
    steps.must(
      `${me} sends ${job.action} of ${keys}`,
      go('request', (next, own) => checkRequest(next, at, own)),
    );
  if (job.at === 'request') {
    steps.must(
      'the server does it',
      go('answer', (next, own) => {
        own.answer = serve(next, own);
      }),
    );
    if (world.left.refusals > 0) {
      steps.may(
        'the server refuses it',
        go('answer', (next, own) => {
          next.left.refusals -= 1;
          own.answer = { refused: true };
        }),
      );
    }
  }
  if ((job.at === 'request' || job.at === 'answer') && world.left.losses > 0) {
    steps.may(`the ${job.at} is lost`, (next) => {
      next.left.losses -= 1;
      if (on.writesProgressAfter) update(next, keys, 'attempted');
      const isUnconfirmed = job.action === 'create' && !next.withKeys && !on.repeatsWithoutKey;
      if (isUnconfirmed && !isTakenOver(next, job, on)) update(next, keys, 'unconfirmed');
      release(next, at);
    });
  }
  if (job.at === 'answer') steps.must(`${me} stores the outcome of ${keys}`, (next) => storeOutcome(next, at, on));
  if (job.at === 'id') {
    steps.must(`${me} stores the id of ${r}`, (next) => {
      if (job.answer?.id !== undefined) next.log.ids[r] = job.answer.id;
      update(next, [], undefined);
      release(next, at);
    });
  }
}

function checkRequest(world: World, at: number, { r, action }: Job): void {
  if (!world.tabs[at]!.records.includes(r)) world.broken = 'a change of another user was sent';
  if (action !== 'create') return;
  if (!world.withKeys && world.posted[r]) world.broken = 'a create without a key was sent twice by itself';
  world.posted[r] = true;
}

/** The row has changed since the tab saw it: the edits go into the row that the server has now, unless they contradict it. */
function readFirst(world: World, at: number, on: Mistakes): void {
  const job = world.tabs[at]!.job as Job;
  const row = world.server.rows.find((each) => each.id === job.id);
  const edited = Object.keys(job.values);
  const isConflict = !row || edited.some((name) => row.values[name] !== job.base[name]);
  if (isConflict) {
    update(world, job.keys, 'refused');
    release(world, at);
    return;
  }
  job.readsFirst = false;
  job.tag = row.tag;
  if (!on.mergesFromBase) job.base = { ...row.values };
}

/** Stores the response of the server: the outcome with the removal, or why the changes wait. */
function storeOutcome(world: World, at: number, on: Mistakes): void {
  const job = world.tabs[at]!.job as Job;
  const { r, keys, action, isRepeat } = job;
  const answer = job.answer as Answer;
  if (answer.outdated && !isRepeat) {
    // A first attempt that is answered by 412 was not done.
    update(world, keys, 'outdated');
    return release(world, at);
  }
  if (answer.refused || answer.outdated) {
    // Definitely not done: the changes count as never attempted, but wait.
    world.posted[r] = false;
    if (action === 'erase' && !on.keepsRefusedErase) {
      update(world, keys, undefined);
      remove(world, { r, keys: keys.slice(-1), type: 'refused', row: undefined }, undefined, on);
    } else update(world, keys, 'refused');
    return release(world, at);
  }
  const isCreate = action === 'create';
  remove(
    world,
    { r, keys, type: 'sent', row: answer.row as Values | null },
    isCreate && !on.storesIdLater ? answer.id : undefined,
    on,
    answer.tag,
  );
  const ofChild = world.tabs[at]!.screen.C?.changes ?? [];
  if (isCreate && on.keepsParentInChild && ofChild.length > 0) {
    world.log.changes = [...world.log.changes.filter((change) => change.r !== 'C'), ...ofChild];
  }
  if (isCreate && on.storesIdLater) job.at = 'id';
  else release(world, at);
}

/** Whether the changes of a record wait for a decision of the application, which was told of it. */
export function waitsForDecision(world: World, r: 'P' | 'C'): boolean {
  return changesOf(world, r).some(({ key }) => ['refused', 'unconfirmed'].includes(world.log.progress[key] ?? ''));
}
