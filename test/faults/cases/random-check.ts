import { Random } from '../random.js';

/** A law that holds for every random case. It needs no server and no client. To add a check, add it to the list in `checks.ts`. */
export interface RandomCheck {
  /** Name for `--only`. */
  readonly name: string;
  /**
   * Checks one case, which depends on the random numbers alone. Returns a description of what broke, or undefined if the law held. An
   * error that it throws is a finding too.
   */
  tryCase(random: Random): string | undefined;
}

/** The cases of a check to try. */
export interface CaseRange {
  readonly seed: number;
  /** Number of the first case. */
  readonly from: number;
  readonly count: number;
}

/** Result of one check with one seed. */
export interface CheckResult {
  readonly check: string;
  readonly seed: number;
  /** Cases that were tried. */
  readonly cases: number;
  readonly seconds: number;
  readonly findings: readonly CaseFinding[];
}

/** A case in which the law did not hold. */
export interface CaseFinding {
  readonly what: string;
  /** The command that repeats this case alone. */
  readonly again: string;
}

/** Findings after which a check ends: more of them seldom say anything new. */
const ENOUGH = 20;

/** Tries the cases of a range one by one. */
export function runCheck(check: RandomCheck, { seed, from, count }: CaseRange): CheckResult {
  const start = performance.now();
  const findings: CaseFinding[] = [];
  let at = from;
  for (; at < from + count && findings.length < ENOUGH; at += 1) {
    const what = findingOf(check, new Random(seed, check.name, at));
    const again = `npm run test:faults -- --only ${check.name} --seed ${seed} --case ${at}`;
    if (what !== undefined) findings.push({ what, again });
  }
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  return { check: check.name, seed, cases: at - from, seconds, findings };
}

function findingOf(check: RandomCheck, random: Random): string | undefined {
  try {
    return check.tryCase(random);
  } catch (error) {
    return `threw ${(error as Error).stack ?? error}`;
  }
}
