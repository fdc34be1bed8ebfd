/** A value by its place in a record: `a`, `at.x`, `lines` (which lines there are), `line NAME` (what a line says). */
export type Slots = ReadonlyMap<string, unknown>;

interface Holder {
  readonly a?: unknown;
  readonly b?: unknown;
  readonly at?: { readonly x?: unknown; readonly y?: unknown } | undefined;
  readonly lines?: readonly { readonly name: string | undefined; readonly text: unknown }[] | undefined;
}

/** The values of a record, of a row or of the body of a request. */
export function slotsOf({ a, b, at, lines }: Holder): Slots {
  const slots = new Map<string, unknown>([
    ['a', a],
    ['b', b],
    ['at.x', at?.x],
    ['at.y', at?.y],
    [
      'lines',
      lines
        ?.map(({ name }) => name)
        .sort()
        .join(),
    ],
    ...(lines ?? []).map(({ name, text }) => [`line ${name}`, text] as const),
  ]);
  return new Map([...slots].filter(([, value]) => value !== undefined));
}

/** A value that the application has asked to save. */
interface Asked {
  readonly value: unknown;
  /** The number of the call. */
  readonly at: number;
  /** Whether the call had to wait behind another write. */
  readonly waits: boolean;
}

/** The names in the slot `lines`. */
const namesIn = (lines: unknown) => String(lines).split(',').filter(Boolean);

/** The names of the lines that were sent, and of those that a sent list had no more. */
interface SentLines {
  readonly with: Set<string>;
  readonly without: Set<string>;
}

/**
 * Whether a value is the wanted one. A list may also have lines that were sent before, and lack lines that were sent as removed: that is the
 * list of the server, if the response was lost.
 */
function isWanted(slot: string, wanted: unknown, value: unknown, sentLines: SentLines): boolean {
  if (slot !== 'lines') return wanted === value;
  const [names, given] = [namesIn(wanted), namesIn(value)];
  const isComplete = names.every((name) => given.includes(name) || sentLines.without.has(name));
  const isKnown = given.every((name) => names.includes(name) || sentLines.with.has(name));
  return isComplete && isKnown && new Set(given).size === given.length;
}

/** The values that may be sent for one record, and those that it must show: the whole promise, without any of the ways to keep it. */
export class Reference {
  private calls = 0;
  private readonly asked = new Map<string, Asked[]>();
  private readonly lastSent = new Map<string, number>();
  private readonly taken = new Map<string, number>();
  private readonly typed = new Map<string, unknown>();
  private readonly sentLines: SentLines = { with: new Set(), without: new Set() };
  private rejectedAt = 0;

  private readonly server: Map<string, unknown>;

  constructor(private readonly initial: Slots) {
    this.server = new Map(initial);
  }

  /** The user has set values; those of a removed line are no longer there. */
  type(set: Slots, removed?: string): void {
    for (const [slot, value] of set) this.typed.set(slot, value);
    if (removed !== undefined) this.typed.delete(removed);
  }

  /** The application has called `save()` or `sync()`. Returns the number of the call. */
  ask(shown: Slots, waits: boolean): number {
    this.calls += 1;
    for (const [slot, value] of shown) this.add(slot, { value, at: this.calls, waits });
    for (const slot of this.asked.keys())
      if (!shown.has(slot)) this.add(slot, { value: undefined, at: this.calls, waits });
    return this.calls;
  }

  /** The application has called `reject()`: what still waits is taken back, and what the record shows then is what is wanted. */
  reject(shown: Slots): void {
    this.calls += 1;
    this.rejectedAt = this.calls;
    for (const [slot, asked] of this.asked) {
      const lastSent = this.lastSent.get(slot) ?? 0;
      this.asked.set(
        slot,
        asked.filter(({ at, waits }) => !waits || at <= lastSent),
      );
    }
    for (const [slot, value] of shown) {
      const known = [this.initial.get(slot), ...(this.asked.get(slot) ?? []).map((each) => each.value)];
      const isKnown = known.some((each) => isWanted(slot, each, value, this.sentLines));
      if (!isKnown) throw new Error(`reject() shows ${slot} = ${value}, which was not saved`);
      if (this.asked.has(slot)) this.add(slot, { value, at: this.calls, waits: false });
    }
    this.typed.clear();
  }

  /** A write has begun by reading the tag of its row: what was asked until now waits no more. */
  begin(): void {
    for (const [slot, asked] of this.asked)
      this.asked.set(
        slot,
        asked.map((each) => ({ ...each, waits: false })),
      );
  }

  /** A request was sent: it may hold only values that were saved, and none that is older than one that was sent before. */
  send(sent: Slots): void {
    for (const [slot, value] of sent) {
      const lastSent = this.lastSent.get(slot) ?? 0;
      const all = (this.asked.get(slot) ?? []).filter((each) => isWanted(slot, each.value, value, this.sentLines));
      if (all.length === 0) throw new Error(`sent ${slot} = ${value}, which was not saved`);
      const found = all.find(({ at }) => at >= lastSent);
      // A request with the whole row has the values of the server in it.
      if (!found && value === this.server.get(slot)) continue;
      if (!found) throw new Error(`sent ${slot} = ${value} again, after a newer value`);
      this.lastSent.set(slot, found.at);
    }
    if (!sent.has('lines')) return;
    const names = namesIn(sent.get('lines'));
    for (const name of [...this.sentLines.with, ...namesIn(this.initial.get('lines'))])
      if (!names.includes(name)) this.sentLines.without.add(name);
    for (const name of names) this.sentLines.with.add(name);
  }

  /** The server has taken the values of a request that was sent just now. */
  take(sent: Slots): void {
    if (sent.has('lines'))
      for (const slot of this.server.keys()) if (slot.startsWith('line ')) this.server.delete(slot);
    for (const [slot, value] of sent) {
      const last = this.asked.get(slot)?.find(({ at }) => at === this.lastSent.get(slot));
      if (last && isWanted(slot, last.value, value, this.sentLines)) this.taken.set(slot, last.at);
      this.server.set(slot, value);
    }
  }

  /** A call of `save()` has resolved: the server has its values or newer ones, unless they were taken back. */
  resolve(call: number, shown: Slots): void {
    if (this.rejectedAt > call) return;
    for (const [slot, value] of shown) {
      const first = this.asked.get(slot)?.find((each) => each.at <= call && this.sameUntil(slot, each, call)) as Asked;
      const isThere =
        [this.initial, this.server].some((row) => row.get(slot) === value) ||
        (this.taken.get(slot) ?? 0) >= (first?.at ?? call);
      // A later call may have joined this one, with a value that the server has already.
      const isNewer = this.asked.get(slot)?.some((each) => each.at > call && each.value === this.server.get(slot));
      if (!isThere && !isNewer) throw new Error(`save() resolved, but the server never got ${slot} = ${value}`);
    }
  }

  /** A value that the user has typed and not taken back stays. */
  check(shown: Slots): void {
    for (const [slot, value] of this.typed) {
      if (!isWanted(slot, value, shown.get(slot), this.sentLines))
        throw new Error(`typed ${slot} = ${value}, the record shows ${shown.get(slot)}`);
    }
  }

  private add(slot: string, asked: Asked): void {
    this.asked.set(slot, [...(this.asked.get(slot) ?? []), asked]);
  }

  /** Whether a slot had the same value in all calls from the given one until a later one. */
  private sameUntil(slot: string, { value, at }: Asked, call: number): boolean {
    return (this.asked.get(slot) ?? []).every((each) => each.at < at || each.at > call || each.value === value);
  }
}
