import type { Random } from '../random.js';
import type { Topic } from './kinds.js';

/** The kind of a request. */
export type RequestKind = 'create' | 'update' | 'destroy' | 'read' | 'list';

/** Trouble that a request meets before anything is answered. */
export type Trouble =
  | 'none'
  /** The connection breaks, and nothing was done. */
  | 'drop'
  /** The request is handled, then the connection breaks. */
  | 'lose'
  /** 503, and nothing was done. */
  | 'refuse'
  /** 503, though the request was handled. */
  | 'refuseAfter';

/** The response to a request that is handled. */
export type Reply =
  /** The present row. */
  | 'row'
  /** 204; for a create with `Location`. */
  | 'empty'
  /** 201 with `Location` only. */
  | 'location'
  /** A create is answered with the id alone, an update with `{ "ok": true }`. */
  | 'short'
  /** `Location` of the row below another origin and prefix, with a query. */
  | 'otherPrefix'
  /** 202 with `Location` of a job. */
  | 'job'
  /** 201 with `Location` of a job. */
  | 'createdJob'
  /** 201 with an address below that of the row. */
  | 'confirm'
  /** 200 with `success: false` and no row; nothing was done. */
  | 'unsuccessful'
  /** Another row. */
  | 'foreignRow'
  /** The id of another row. */
  | 'foreignId'
  /** The row, with the letters of its id in capitals. */
  | 'capitals'
  | 'redirect';

/** The ordinary replies, and those of the topics. */
const replies: Readonly<Record<RequestKind, Readonly<Partial<Record<'usual' | Topic, readonly Reply[]>>>>> = {
  create: {
    usual: ['row'],
    location: ['job', 'createdJob', 'confirm', 'otherPrefix'],
    partial: ['empty', 'location', 'short'],
    success: ['unsuccessful'],
    redirect: ['redirect'],
  },
  update: {
    usual: ['row', 'row', 'empty', 'short'],
    foreign: ['foreignRow', 'foreignId', 'capitals'],
    redirect: ['redirect'],
  },
  destroy: { usual: ['empty', 'short'], redirect: ['redirect'] },
  read: { usual: ['row'], foreign: ['foreignRow', 'capitals'], redirect: ['redirect'] },
  list: { usual: ['row'], redirect: ['redirect'] },
};

/** Share of the responses that a topic makes unusual. */
const ODD_SHARE = 0.45;

/** Chooses how a request is answered. */
export function chooseReply(kind: RequestKind, topics: ReadonlySet<Topic>, quiet: boolean, random: Random): Reply {
  const { usual = ['row'], ...odd } = replies[kind];
  const groups = Object.entries(odd).filter(([topic]) => topics.has(topic as Topic));
  if (quiet || groups.length === 0 || !random.chance(ODD_SHARE)) return random.pick(usual);
  return random.pick(random.pick(groups)[1]);
}

/** Chooses the trouble of a request. */
export function chooseTrouble(rate: number, quiet: boolean, random: Random): Trouble {
  if (quiet || !random.chance(rate)) return 'none';
  return random.weighed({ drop: 2, lose: 4, refuse: 1, refuseAfter: 2 });
}

/** A redirect: its status, its target, and whether the write was done. */
export interface Redirect {
  readonly status: number;
  readonly done: boolean;
  readonly target: 'collection' | 'neighbour' | 'job' | 'origin' | 'moved' | 'itself';
}

export function chooseRedirect(kind: RequestKind, random: Random): Redirect {
  const status = random.pick([301, 302, 303, 307, 308]);
  const isRead = kind === 'read' || kind === 'list';
  const target = isRead
    ? random.pick(['moved', 'moved', 'origin', 'itself', ...(kind === 'read' ? (['neighbour'] as const) : [])] as const)
    : random.pick(['collection', 'neighbour', 'job', 'origin'] as const);
  return { status, done: !isRead && status < 307 && random.chance(0.5), target };
}
