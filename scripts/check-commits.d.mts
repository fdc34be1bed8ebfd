/** The rule that the subject of a commit breaks; undefined where it breaks none. */
export function subjectProblem(subject: string): string | undefined;
