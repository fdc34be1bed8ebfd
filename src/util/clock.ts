/** Time, so that tests can inject their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back after `ms`; returns the function that stops it. */
  after(ms: number, callback: () => void): () => void;
}

/** The platform's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
