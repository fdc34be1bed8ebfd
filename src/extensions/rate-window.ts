/**
 * The fraction of a period by which queued requests are slowed down, because requests overtake each other on their way to the server.
 */
const SLACK = 0.03;
/** The longest slack, in milliseconds. */
const MAX_SLACK = 250;
/** The fraction of the slack that is kept even when late timers make requests catch up. */
const KEPT_SLACK = 1 / 3;
/** The fraction of a period that requests may catch up at once after a late timer, if they are spaced evenly. */
const CATCH_UP = 0.5;
/** Requests sent within this fraction of a period are counted as one group. */
const GRAIN = 1 / 200;
/** A refusal divides the burst by `BURST_FACTOR`; after `QUIET_PERIODS` periods without a refusal the burst is multiplied by it. */
const [BURST_FACTOR, QUIET_PERIODS] = [4, 10];

/** A group of requests that were sent at nearly the same moment. */
export interface SentGroup {
  /** When the first request of the group was sent. */
  readonly firstAt: number;
  /** When the last request of the group reached the server, as far as is known. */
  lastAt: number;
  count: number;
}

/**
 * Limits requests to a number per period: no period of that length, whenever it begins, has more. After a quiet time, a burst is sent
 * at once; when the burst is used up and further requests wait, they are spaced evenly. If the burst is larger than the number of
 * requests per period, the window is a token bucket that fills evenly.
 */
export class RateWindow {
  /** Milliseconds after which a sent request no longer counts. */
  private readonly span: number;
  /** Milliseconds between two requests that are spaced evenly. */
  private readonly interval: number;
  private readonly isBucket: boolean;
  /** The sent requests that still count, the oldest first. */
  private readonly groups: SentGroup[] = [];
  private count = 0;
  private tokens: number;
  private filledAt: number = Number.NEGATIVE_INFINITY;
  private isSpaced = false;
  /** How many requests may be sent at once now: `burst`, or fewer after refusals. */
  private currentBurst: number;
  private reducedAt = 0;
  /** When the next request may be sent, while requests are spaced evenly. */
  private nextAt: number = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly requests: number,
    per: number,
    private readonly burst: number = requests,
  ) {
    this.isBucket = burst > requests;
    const slack = Math.min(per * SLACK, MAX_SLACK);
    this.span = per + slack * KEPT_SLACK;
    this.interval = (per + slack) / requests;
    this.tokens = this.currentBurst = burst;
  }

  /** Milliseconds until a request may be sent. `waited` says that the next request has been waiting in a queue. */
  delay(now: number, waited: boolean): number {
    let at = now;
    if (this.currentBurst < this.burst && now - this.reducedAt >= this.span * QUIET_PERIODS) {
      this.currentBurst = Math.min(this.burst, this.currentBurst * BURST_FACTOR);
      this.reducedAt = now;
    }
    if (!this.isBucket) {
      this.dropExpired(now);
      if (this.count >= this.requests) {
        this.isSpaced = true;
        this.nextAt = Math.max(this.nextAt, (this.groups[0]?.lastAt ?? now) + this.span);
      } else if (!waited && this.count * 2 <= this.requests) this.isSpaced = false;
      if (this.isSpaced) at = Math.max(at, this.nextAt);
    }
    const tokens = this.tokensAt(now);
    // The tolerance allows for rounding errors in the sum of fractions.
    if (tokens < 1 - 1e-6) at = Math.max(at, now + (1 - tokens) * this.interval);
    return Math.max(0, at - now);
  }

  /** Counts a request that is sent now. Returns its group, which is to be given to `countArrival` when the response has come. */
  countSend(now: number): SentGroup | undefined {
    this.tokens = this.tokensAt(now) - 1;
    this.filledAt = now;
    // Requests may catch up, within limits, on the time that a late timer has cost.
    this.nextAt = Math.max(this.nextAt, now - this.span * CATCH_UP) + this.interval;
    if (this.isBucket) return undefined;
    const last = this.groups.at(-1);
    this.count += 1;
    if (last && now - last.firstAt < this.span * GRAIN) {
      last.lastAt = now;
      last.count += 1;
      return last;
    }
    const group = { firstAt: now, lastAt: now, count: 1 };
    this.groups.push(group);
    return group;
  }

  /** Called when a response has come. Requests of a burst may have been in flight for long, so they count from now. */
  countArrival(group: SentGroup, now: number): void {
    if (!this.isSpaced) group.lastAt = now;
  }

  /** Called when the server has refused a request: for some time the burst is smaller, and waiting requests are spaced evenly. */
  reduceBurst(now: number, until: number): void {
    this.currentBurst = Math.max(1, Math.floor(this.currentBurst / BURST_FACTOR));
    this.reducedAt = now;
    this.isSpaced = true;
    this.nextAt = Math.max(this.nextAt, until);
  }

  private tokensAt(now: number): number {
    return Math.min(this.currentBurst, this.tokens + (now - this.filledAt) / this.interval);
  }

  private dropExpired(now: number): void {
    let expired = 0;
    for (const { lastAt, count } of this.groups) {
      if (lastAt + this.span > now) break;
      this.count -= count;
      expired += 1;
    }
    this.groups.splice(0, expired);
  }
}
