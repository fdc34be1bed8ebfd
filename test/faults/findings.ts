/** Broken promises, in words. */
export interface Findings {
  /** Acknowledged, but not there. */
  readonly lost: string[];
  /** Done more often than it was asked for. */
  readonly doubled: string[];
  /** Done, but never requested; or sent outside its collection or origin. */
  readonly stray: string[];
  /** Members of a row that changed without an edit. */
  readonly unasked: string[];
  /** Promises that never settled, writes that stay queued, and what keeps a process alive. */
  readonly unsettled: string[];
  /** Anything else that must not happen. */
  readonly odd: string[];
}

/** The names of findings, in the order in which they are printed. */
export const kindsOfFindings: readonly (keyof Findings)[] = ['lost', 'doubled', 'stray', 'unasked', 'unsettled', 'odd'];

export function noFindings(): Findings {
  return { lost: [], doubled: [], stray: [], unasked: [], unsettled: [], odd: [] };
}

/** The findings of several checks, merged by kind. */
export function joinFindings(all: readonly Findings[]): Findings {
  const joined = noFindings();
  for (const kind of kindsOfFindings) joined[kind].push(...all.flatMap((each) => each[kind]));
  return joined;
}
