import type { Client } from './client.js';

/** The ways in which the server can fail. */
export const FAILURES = [
  ['down', 'Drops connections'],
  ['500', 'Answers 500'],
  ['html', 'Answers HTML'],
  ['401', 'Ends the sign-in (401)'],
  ['409', 'Reports conflicts (409)'],
  ['422', 'Refuses values (422)'],
] as const;

/** One of the ways in which the server can fail. */
export type Failure = (typeof FAILURES)[number][0];

/** How the server treats a client. */
export interface Situation {
  /** Milliseconds that each response waits. */
  readonly slow: number;
  readonly broken: Failure | null;
}

/** Nothing is wrong. */
export const WELL: Situation = { slow: 0, broken: null };

/** Tells the server how to treat a client from now on. This request does not pass the network of the client, which may be off. */
export async function setSituation({ name }: Client, situation: Situation): Promise<void> {
  const response = await postJson('/app/situations', { client: name, ...situation });
  if (!response.ok) throw new Error(`The server did not take the situation: ${response.status}`);
}

// #region elsewhere
/** Lets Carol, who is on no screen here, change one of these orders. Resolves with its id; undefined if there are none. */
export async function changeElsewhere(ids: readonly number[]): Promise<number | undefined> {
  if (ids.length === 0) return undefined;
  const response = await postJson('/app/elsewhere', { ids });
  if (!response.ok) throw new Error(`The server refused Carol's change: ${response.status}`);
  return ((await response.json()) as { readonly id: number }).id;
}
// #endregion

function postJson(address: string, body: object): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}
