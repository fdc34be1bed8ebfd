import { restServer } from 'repose/testing';

// A server in memory, which forgets everything at a reload. With a server of your own, remove this file, and `serve` from `models.ts` and `sign-in.ts`.

const customers = ['Ada Lovelace', 'Grace Hopper', 'Edsger Dijkstra', 'Barbara Liskov', 'Alan Kay'].map(
  (name, index) => ({
    id: index + 1,
    name,
    email: `${name.split(' ')[0]?.toLowerCase()}@example.com`,
  }),
);

const orders = Array.from({ length: 60 }, (_, index) => ({
  id: index + 1,
  number: `2026-${String(index + 1).padStart(3, '0')}`,
  customerId: (index % customers.length) + 1,
  status: ['new', 'paid', 'sent'][index % 3],
  due: `2026-${String((index % 12) + 1).padStart(2, '0')}-15`,
  lines: [
    { sku: `A-${(index % 7) + 1}`, count: (index % 4) + 1, price: '9.50' },
    { sku: `B-${(index % 5) + 1}`, count: 1, price: '120.00' },
  ],
}));

export const server = restServer({
  collections: {
    '/api/customers': customers,
    '/api/orders': {
      rows: orders,
      validate: ({ number }) => (number === '2026-000' ? { number: 'is used by another order' } : undefined),
    },
  },
  ignoredParams: ['total_gte'],
});

/** Milliseconds for which an access token is good. */
const LIFETIME = 60_000;
const PASSWORD = 'secret';
let ended = false;

/** Ends every sign-in, as a server does when a password was changed. */
export function endSignIns(): void {
  ended = true;
}

/** Stands for `fetch`: signs in and renews at `/api/sign-in` and `/api/renew`, and serves the rest to those who are signed in. */
export const serve: typeof fetch = async (input, init) => {
  // A server in memory is never out of reach.
  if (globalThis.navigator?.onLine === false) throw new TypeError('No network');
  const request = new Request(input, init);
  const { pathname } = new URL(request.url);
  if (pathname === '/api/sign-in') {
    const { name, password } = await request.json();
    if (password !== PASSWORD) return Response.json({ detail: 'Name or password is wrong.' }, { status: 401 });
    ended = false;
    return Response.json(tokensFor(name));
  }
  if (pathname === '/api/renew') {
    const { name, refresh } = await request.json();
    if (ended || refresh !== `refresh ${name}`) return Response.json({ detail: 'Sign in again.' }, { status: 401 });
    return Response.json(tokensFor(name));
  }
  const until = Number(request.headers.get('Authorization')?.split(' ')[2]);
  if (ended || !(until > Date.now())) return Response.json({ detail: 'Sign in again.' }, { status: 401 });
  return server.fetch(request);
};

function tokensFor(name: string) {
  return { token: `${name} ${Date.now() + LIFETIME}`, refresh: `refresh ${name}` };
}
