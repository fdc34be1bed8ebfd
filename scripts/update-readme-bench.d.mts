/** Ten of the last results of the benchmark as a Markdown table: those of the README. */
export function shortBenchTable(): string;
/** All of the last results of the benchmark as a Markdown table. */
export function benchTable(): string;
