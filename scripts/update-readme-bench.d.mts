/** All of the last results of the benchmark as a Markdown table. */
export function benchTable(): string;
