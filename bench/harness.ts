/** Facts about a result. Subjects must agree on each entry that both have. */
export type Digest = Readonly<Record<string, number | string>>;

/** One measured subject. */
export interface Subject<S> {
  readonly name: string;
  /** Makes a fresh state for a turn, outside of the timed part; the same data for the same turn. */
  prepare(turn: number): S | Promise<S>;
  close?(state: S): void;
}

/** One timed piece of work on a state. The steps of a turn work on the same state, one after another. */
export interface Step<S> {
  readonly case: string;
  /** Whether a subject can do the work. @default all can */
  can?(state: S): boolean;
  /** Prepares the work, outside of the timed part. */
  before?(state: S): unknown;
  /** The timed work. */
  run(state: S): unknown;
  /** Checks the result, outside of the timed part. */
  check?(state: S, result: never): Digest;
}

/** A row of the result. */
export interface Row {
  readonly workload: string;
  readonly case: string;
  readonly n: number;
  readonly subject: string;
  readonly value: number;
  readonly unit: string;
  /** The value divided by that of the floor in the same process; 1 for the floor itself. */
  readonly ratio: number;
}

/** Subjects that take turns. */
export interface Session<S> {
  readonly workload: string;
  readonly n: number;
  /** The subjects; the first one is the floor. */
  readonly subjects: readonly Subject<S>[];
  readonly steps: readonly Step<S>[];
  /** Most turns that are counted. */
  readonly runs: number;
  /** Turns before the counted ones. @default 1 */
  readonly warmUp?: number;
  /** Milliseconds after which no further turn begins. @default no limit */
  readonly budget?: number;
  readonly unit: 'ms' | 'µs each';
  /** The number by which a time is divided for `each`. @default n */
  readonly per?: number;
  /**
   * Whether the whole heap is collected before a step, instead of the young generation only: for steps whose garbage takes longer
   * to collect than their work takes. @default false
   */
  readonly deep?: boolean;
}

/** The results of two subjects differ, so that they did not do the same work. */
class DifferentResults extends Error {}

/**
 * Runs the subjects in turn, A B A B …, after warm-up turns, and returns the median of each step of each subject and its ratio
 * to the floor. The order within a turn changes, so that no subject always runs after another. Throws `DifferentResults`.
 */
export async function measure<S>(session: Session<S>): Promise<Row[]> {
  const { subjects, steps, runs, warmUp = 1, budget = Number.POSITIVE_INFINITY } = session;
  const times = subjects.map(() => steps.map((): number[] => []));
  const start = performance.now();
  for (let turn = -warmUp; turn < runs; turn += 1) {
    const digests: (Digest | undefined)[][] = [];
    for (let i = 0; i < subjects.length; i += 1) {
      const at = (i + Math.abs(turn)) % subjects.length;
      const subject = subjects[at] as Subject<S>;
      const state = await subject.prepare(turn + warmUp);
      digests[at] = [];
      for (const [which, step] of steps.entries()) {
        if (step.can && !step.can(state)) continue;
        const { time, digest } = await timed(step, state, session.deep);
        digests[at][which] = digest;
        times[at]?.[which]?.push(time);
      }
      subject.close?.(state);
    }
    for (const [which, step] of steps.entries()) {
      const found = digests.map((list) => list[which]);
      compare(`${session.workload}, ${step.case}`, found, subjects);
    }
    const over = performance.now() - start > budget;
    // If the warm-up took all of the time, its turns are the only results.
    if (turn < 0 && !over) for (const lists of times) for (const list of lists) list.length = 0;
    if (over) break;
  }
  const rows = rowsOf(session, times);
  for (const { n, case: name, subject, value, unit, ratio } of rows) {
    if (subject !== subjects[0]?.name) console.error(`  ${name}, n = ${n}: ${subject} ${value} ${unit}, ${ratio}×`);
  }
  return rows;
}

async function timed<S>(
  step: Step<S>,
  state: S,
  deep: boolean = false,
): Promise<{ time: number; digest: Digest | undefined }> {
  await step.before?.(state);
  // As in an application, the engine decides when to collect old memory. A full collection would drop the code that was compiled
  // for objects which are gone, and the time to compile it again would be measured.
  if (deep) globalThis.gc?.();
  else globalThis.gc?.({ type: 'minor' });
  const start = process.hrtime.bigint();
  let result = step.run(state);
  if (result instanceof Promise) result = await result;
  const time = Number(process.hrtime.bigint() - start);
  if (result === undefined) throw new Error(`${step.case}: nothing was done`);
  return { time, digest: step.check?.(state, result as never) };
}

function rowsOf<S>({ workload, n, subjects, steps, unit, per = n }: Session<S>, times: readonly number[][][]): Row[] {
  const scale = unit === 'ms' ? 1e6 : 1000 * per;
  return steps.flatMap((step, which) => {
    const medians = times.map((list) => median(list[which] as number[]));
    return subjects.flatMap((subject, at): Row[] => {
      const value = medians[at] as number;
      const ratio = round(value / (medians[0] as number), 3);
      return Number.isNaN(value)
        ? []
        : [{ workload, case: step.case, n, subject: subject.name, value: round(value / scale, 4), unit, ratio }];
    });
  });
}

/** Throws `DifferentResults` unless all results agree with the first one. */
export function compare(
  what: string,
  digests: readonly (Digest | undefined)[],
  subjects: readonly { readonly name: string }[],
): void {
  const [floor = {}, ...others] = digests;
  for (const [at, digest] of others.entries()) {
    for (const [key, value] of Object.entries(digest ?? {})) {
      if (!(key in floor) || Object.is(value, floor[key])) continue;
      const { name } = subjects[at + 1] as { name: string };
      throw new DifferentResults(`${what}: ${key} is ${floor[key]} at the floor, ${value} with ${name}`);
    }
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length ? (sorted[sorted.length >> 1] as number) : Number.NaN;
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
