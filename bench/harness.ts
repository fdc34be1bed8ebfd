/** One measured subject of a case. */
export interface Subject<T> {
  readonly name: string;
  /** Makes fresh input for a run, outside the timer. */
  prepare(): T;
  /** The timed work; returns something that proves it was done. */
  run(input: T): unknown;
}

/** A row of the result. */
export interface Row {
  readonly workload: string;
  readonly case: string;
  readonly n: number;
  readonly subject: string;
  readonly value: number;
  readonly unit: string;
  /** To the floor of the same run; the floor's own is 1. */
  readonly ratio: number;
}

/** What a case is measured by. */
export interface Case {
  readonly workload: string;
  readonly case: string;
  readonly n: number;
  /** The first is the floor. */
  readonly subjects: readonly Subject<unknown>[];
  /** Counted runs of each subject. */
  readonly runs: number;
}

/**
 * Runs the subjects in turn, A B A B …, after warm-up runs, and gives the median of each and its ratio to the floor. The order
 * within a turn changes, so that none always runs after the other.
 */
export function measure({ workload, case: name, n, subjects, runs }: Case): Row[] {
  const times = subjects.map((): number[] => []);
  for (let turn = -5; turn < runs; turn += 1) {
    for (let i = 0; i < subjects.length; i += 1) {
      const at = (i + Math.abs(turn)) % subjects.length;
      const subject = subjects[at] as Subject<unknown>;
      const input = subject.prepare();
      globalThis.gc?.();
      const start = process.hrtime.bigint();
      const proof = subject.run(input);
      const time = Number(process.hrtime.bigint() - start);
      if (proof === undefined) throw new Error(`${subject.name} did nothing`);
      if (turn >= 0) times[at]?.push(time);
    }
  }
  const medians = times.map(median);
  return subjects.map((subject, i) => ({
    workload,
    case: name,
    n,
    subject: subject.name,
    value: Number(((medians[i] as number) / n / 1000).toFixed(4)),
    unit: 'µs each',
    ratio: Number(((medians[i] as number) / (medians[0] as number)).toFixed(3)),
  }));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] as number;
}
