/** Mistakes by their code; `url` is the address of a server that must get no request. */
export function mistakesAt(url: string): Readonly<Record<string, () => unknown>>;
