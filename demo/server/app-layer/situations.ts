import type { JsonObject } from '../data/json.js';
import { Problem } from '../problem.js';

/** Ways in which the server fails for one client, so that its screens can be tried. */
export interface Situation {
  /** Milliseconds for which each request waits. */
  readonly slow: number;
  /**
   * `500` and `html` (a page instead of JSON) and `down` (no response) concern each request. `401` ends the sign-in, until the client signs in
   * again. `409` and `422` refuse each write.
   */
  readonly broken: Broken | null;
  /** The fault of the stream of changes: each change comes twice, comes behind the next one, every second one is missing, or all. */
  readonly feed: FeedFault | null;
}
export type Broken = (typeof BROKEN)[number];
export type FeedFault = (typeof FEED_FAULTS)[number];

const BROKEN = ['500', 'html', 'down', '401', '409', '422'] as const;
const FEED_FAULTS = ['repeat', 'reorder', 'skip', 'silent'] as const;
const NONE: Situation = { slow: 0, broken: null, feed: null };
const LONGEST = 60_000;

/** The situation of each client, by its name. */
export class Situations {
  private readonly known: Map<string, Situation> = new Map();

  of(client: string | undefined): Situation {
    return (client === undefined ? undefined : this.known.get(client)) ?? NONE;
  }

  /** Changes the members that the body has; throws a 422 for other values. */
  change(client: string, body: JsonObject): Situation {
    const { slow, broken, feed }: { [name: string]: unknown } = { ...this.of(client), ...body };
    const errors: Record<string, readonly string[]> = {};
    if (typeof slow !== 'number' || !(slow >= 0 && slow <= LONGEST)) errors['slow'] = [`must be from 0 to ${LONGEST}`];
    if (!isOneOf(BROKEN, broken)) errors['broken'] = [`must be null or one of ${BROKEN.join(', ')}`];
    if (!isOneOf(FEED_FAULTS, feed)) errors['feed'] = [`must be null or one of ${FEED_FAULTS.join(', ')}`];
    if (Object.keys(errors).length > 0) throw new Problem(422, 'The situation is not valid', { errors });
    const situation = { slow, broken, feed } as Situation;
    this.known.set(client, situation);
    return situation;
  }

  reset(): void {
    this.known.clear();
  }
}

function isOneOf(list: readonly string[], value: unknown): boolean {
  return value === null || list.includes(value as string);
}
