/** The part of a span by which requests that queue go slower: they overtake each other on their way. */
const SLACK = 0.03;
/** … and the most that it is, in milliseconds. */
const MOST_SLACK = 250;
/** So much of that slack is never made up for, however late timers are. */
const KEPT = 1 / 3;
/** So much of a span may be made up for at once, where no more than that may go at once. */
const CATCH_UP = 0.5;
/** Sends within this part of a span are counted as one moment. */
const GRAIN = 1 / 200;
/** A refusal divides what goes at once by this; so many spans without one multiply it. */
const [STEP, CALM] = [4, 10];

/** Requests that went at one moment, or nearly so. */
export interface Sent {
  /** When the first of them went. */
  readonly from: number;
  /** When the last of them reached the server, as far as is known. */
  at: number;
  count: number;
}

/**
 * So many requests in so many milliseconds: no span of that length, wherever it begins, sees more. What is saved up goes at
 * once; once all of it is used and others wait, they go evenly. Where more may go at once than in a span, it is a plain
 * bucket that fills evenly.
 */
export class RateWindow {
  /** A turn comes back so much later. */
  private readonly span: number;
  /** Even distance of requests. */
  private readonly gap: number;
  private readonly plain: boolean;
  /** When how many went, the oldest first. */
  private readonly spent: Sent[] = [];
  private count = 0;
  private tokens: number;
  private filledAt: number = Number.NEGATIVE_INFINITY;
  private even = false;
  /** What goes at once now: `burst`, or less after refusals. */
  private atOnce: number;
  private narrowedAt = 0;
  /** When the next one goes, where they go evenly. */
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

  /** Milliseconds until a request may go; `waited`: the one that would go has waited already. */
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
    // Sums of fractions are a little off.
    if (tokens < 1 - 1e-6) at = Math.max(at, now + (1 - tokens) * this.gap);
    return Math.max(0, at - now);
  }

  /** Counts a request that goes now; the entry is for `arrived`. */
  take(now: number): Sent | undefined {
    this.tokens = this.filled(now) - 1;
    this.filledAt = now;
    // What a late timer has cost is made up for.
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

  /** An answer has come. Requests that went at once may have been under way for long: they count from now. */
  arrived(entry: Sent, now: number): void {
    if (!this.even) entry.at = now;
  }

  /** The server has refused what this lets through: for some time less goes at once, and evenly where others wait. */
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
