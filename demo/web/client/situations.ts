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
/** Edits one of these orders as Carol, who is on no screen here. Returns the id of the order. */
export async function changeElsewhere(ids: readonly number[]): Promise<number | undefined> {
  const id = ids[Math.floor(Math.random() * ids.length)];
  if (id === undefined) return undefined;
  const { token } = (await (await postJson('/app/sign-in', { name: 'Carol' })).json()) as { readonly token: string };
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  const note = `Carol was here at ${new Date().toLocaleTimeString('en-GB')}`;
  const response = await fetch(`/app/orders/${id}`, { method: 'PATCH', headers, body: JSON.stringify({ note }) });
  if (!response.ok) throw new Error(`The server refused Carol's change: ${response.status}`);
  return id;
}
// #endregion

function postJson(address: string, body: object): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}
