/** The text of docs/servers.md. */
export function serversPage(): string;
/** The names of the checks, with their sentences. */
export function checks(): Readonly<Record<string, string>>;
/** How a profile configures the proxy. Throws an error for more than eight lines. */
export function configurationOf(name: string): string;
/** The reports of the last run. */
export function reports(): {
  readonly name: string;
  readonly title: string;
  readonly dialect: string;
  readonly checks: Readonly<Record<string, string>>;
}[];
