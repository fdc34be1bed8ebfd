/**
 * The fraction of a period by which queued requests are slowed down, because requests overtake each other on their way to the server.
 */
const SLACK = 0.03;
/** The longest slack, in milliseconds. */
const MOST_SLACK = 250;
/** The fraction of the slack that is kept even when late timers make requests catch up. */
const KEPT = 1 / 3;
/** The fraction of a period that requests may catch up at once after a late timer, if they are spaced evenly. */
const CATCH_UP = 0.5;
/** Requests sent within this fraction of a period are counted as one group. */
const GRAIN = 1 / 200;
/** A refusal divides the burst by `STEP`; after `CALM` periods without a refusal the burst is multiplied by `STEP`. */
const [STEP, CALM] = [4, 10];

/** A group of requests that were sent at nearly the same moment. */
export interface Sent {
  /** When the first request of the group was sent. */
  readonly from: number;
  /** When the last request of the group reached the server, as far as is known. */
  at: number;
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
  private readonly gap: number;
  private readonly plain: boolean;
  /** The sent requests that still count, the oldest first. */
  private readonly spent: Sent[] = [];
  private count = 0;
  private tokens: number;
  private filledAt: number = Number.NEGATIVE_INFINITY;
  private even = false;
  /** How many requests may be sent at once now: `burst`, or fewer after refusals. */
  private atOnce: number;
  private narrowedAt = 0;
  /** When the next request may be sent, while requests are spaced evenly. */
  private due: number = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly requests: number,
    per: number,
    private readonly burst: number = requests,
  ) {
    this.plain = burst > requests;
    const slack = Math.min(per * SLACK, MOST_SLACK);
    this.span = per + slack * KEPT;
    this.gap = (per + slack) / requests;
    this.tokens = this.atOnce = burst;
  }

  /** Milliseconds until a request may be sent. `waited` says that the next request has been waiting in a queue. */
  delay(now: number, waited: boolean): number {
    let at = now;
    if (this.atOnce < this.burst && now - this.narrowedAt >= this.span * CALM) {
      this.atOnce = Math.min(this.burst, this.atOnce * STEP);
      this.narrowedAt = now;
    }
    if (!this.plain) {
      this.forget(now);
      if (this.count >= this.requests) {
        this.even = true;
        this.due = Math.max(this.due, (this.spent[0]?.at ?? now) + this.span);
      } else if (!waited && this.count * 2 <= this.requests) this.even = false;
      if (this.even) at = Math.max(at, this.due);
    }
    const tokens = this.filled(now);
    // The tolerance allows for rounding errors in the sum of fractions.
    if (tokens < 1 - 1e-6) at = Math.max(at, now + (1 - tokens) * this.gap);
    return Math.max(0, at - now);
  }

  /** Counts a request that is sent now. Returns its entry, which is to be given to `arrived` when the answer has come. */
  take(now: number): Sent | undefined {
    this.tokens = this.filled(now) - 1;
    this.filledAt = now;
    // Requests may catch up, within limits, on the time that a late timer has cost.
    this.due = Math.max(this.due, now - this.span * CATCH_UP) + this.gap;
    if (this.plain) return undefined;
    const last = this.spent.at(-1);
    this.count += 1;
    if (last && now - last.from < this.span * GRAIN) {
      last.at = now;
      last.count += 1;
      return last;
    }
    const entry = { from: now, at: now, count: 1 };
    this.spent.push(entry);
    return entry;
  }

  /** Called when an answer has come. Requests of a burst may have been in flight for long, so they count from now. */
  arrived(entry: Sent, now: number): void {
    if (!this.even) entry.at = now;
  }

  /** Called when the server has refused a request: for some time the burst is smaller, and waiting requests are spaced evenly. */
  narrow(now: number, until: number): void {
    this.atOnce = Math.max(1, Math.floor(this.atOnce / STEP));
    this.narrowedAt = now;
    this.even = true;
    this.due = Math.max(this.due, until);
  }

  private filled(now: number): number {
    return Math.min(this.atOnce, this.tokens + (now - this.filledAt) / this.gap);
  }

  private forget(now: number): void {
    let gone = 0;
    for (const { at, count } of this.spent) {
      if (at + this.span > now) break;
      this.count -= count;
      gone += 1;
    }
    this.spent.splice(0, gone);
  }
}
