/** Mistakes by what is written; `url` is that of a server that must not be asked. */
export function mistakesAt(url: string): Readonly<Record<string, () => unknown>>;
