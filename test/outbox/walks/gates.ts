/** A source of choices: random numbers, or a list. */
export interface Picks {
  /** A whole number, both ends included. */
  integer(min: number, max: number): number;
  pick<T>(list: readonly T[]): T;
}

/** Something that waits until the walk lets it go on. */
export interface Gate {
  readonly name: string;
  /** Whether only the clock opens it. */
  readonly isTimer: boolean;
  /** The tab that waits; undefined: it goes on even if all tabs are closed. */
  readonly tab: object | undefined;
  open(): void;
}

/** All that waits. The walk opens one gate after the other, in a random order: this is the order in which things happen. */
export class Gates {
  private waiting: Gate[] = [];
  private readonly closed: Set<object> = new Set();
  private inFlight = 0;
  /** The gates that were opened, and other steps, in their order. */
  readonly history: string[] = [];

  get count(): number {
    return this.waiting.length;
  }

  /** All gates that wait, in the order in which they have begun to wait. */
  get all(): readonly Gate[] {
    return this.waiting;
  }

  /**
   * Resolves when the walk opens the gate. It never does if the tab is closed before. Rejects if it is aborted before, with the reason of
   * the signal.
   */
  pass(name: string, tab: object | undefined, signal?: AbortSignal | null): Promise<void> {
    return new Promise((resolve, reject) => {
      const gate: Gate = { name, isTimer: false, tab, open: resolve };
      this.add(gate);
      signal?.addEventListener('abort', () => {
        this.waiting = this.waiting.filter((each) => each !== gate);
        reject(signal.reason);
      });
    });
  }

  /** Calls a function when the walk opens the gate. Returns the function that takes it back. */
  later(name: string, tab: object, callback: () => void, isTimer = false): () => void {
    const gate: Gate = { name, isTimer, tab, open: callback };
    this.add(gate);
    return () => {
      this.waiting = this.waiting.filter((each) => each !== gate);
    };
  }

  /** Runs work of the platform, which `settle` waits for. */
  async work<T>(run: () => Promise<T>): Promise<T> {
    this.inFlight += 1;
    try {
      return await run();
    } finally {
      this.inFlight -= 1;
    }
  }

  private add(gate: Gate): void {
    if (!gate.tab || !this.closed.has(gate.tab)) this.waiting.push(gate);
  }

  /** Forgets everything that a tab waits for: it does nothing any more. */
  close(tab: object): void {
    this.closed.add(tab);
    this.waiting = this.waiting.filter((gate) => gate.tab !== tab);
  }

  /** Opens a gate. `isTimely`: no time passes while anything else can happen, so nothing exceeds its timeout. */
  openOne(picks: Picks, isTimely = false): void {
    const prompt = isTimely ? this.waiting.filter(({ isTimer }) => !isTimer) : [];
    const choice = prompt.length > 0 ? prompt : this.waiting;
    const gate = choice[picks.integer(0, choice.length - 1)];
    if (gate) this.open(gate);
  }

  open(gate: Gate): void {
    this.waiting = this.waiting.filter((each) => each !== gate);
    this.history.push(gate.name);
    gate.open();
  }

  /** Waits until nothing goes on by itself any more. */
  async settle(): Promise<void> {
    for (let quiet = 0, before = -1; quiet < 3; ) {
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.inFlight === 0 && before === this.waiting.length ? quiet + 1 : 0;
      before = this.waiting.length;
    }
  }
}
